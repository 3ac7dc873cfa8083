// Package schema checks JSON values against JSON Schemas (drafts 4 to 2020-12)
// that agents, calls and sessions bring for their results.
//
// It promises that the schema itself is checked first, and that every fault of
// a value is told with its JSON pointer. It never fetches another document: a
// reference that leaves the schema is an error.
package schema
