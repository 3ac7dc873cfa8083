// Package mask takes secrets and home paths out of text before anything else
// sees it: a model, a screen, a file.
//
// What it knows is the environment's secrets, as they are and as base64, URL
// or JSON would write them; what it recognises is some forty shapes of keys,
// tokens, passwords in assignments, headers and addresses, and private keys.
//
// It promises that text which comes in pieces is masked exactly as the whole
// would be, wherever the cuts are; that masking twice changes nothing more; and
// that time grows with length alone. A masked JSON text is JSON still.
//
// It never changes a value for being short or a word for holding another
// ("author", "tokens"), and never claims to find every secret there is: it is
// the net below the rule that secrets are not passed on in the first place.
package mask
