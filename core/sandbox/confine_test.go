package sandbox

import "testing"

func TestMeans(t *testing.T) {
	r, err := Means(t.Context())
	t.Logf("%+v %v", r, err)
	exit, out, err := sh(t.Context(), t, "id; pwd; ls -la /tmp /root /run /dev; cat /proc/self/status | grep -E 'Cap|Secc|NoNew'; ps aux; cat /proc/self/mountinfo; git -C . status | head -5; env", func(s *Spec) { s.ReadOnly = true; s.NoNet = true; s.Scratch = t.TempDir() })
	t.Logf("%+v %v\n%s", exit, err, out)
}
