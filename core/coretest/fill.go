package coretest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// fill makes a T whose every exported field, at any depth, has a value of its
// own that is not zero. Other seeds give other values.
func fill[T any](t *testing.T, seed int) T {
	t.Helper()
	var v T
	n := seed * 1000
	fillValue(t, reflect.ValueOf(&v).Elem(), &n)
	return v
}

func fillValue(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(1_700_000_000_000 + int64(*n))))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{ "n": %d, "<&>": "\u00e9\n" }`, *n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("v%d \"ü\" '%%_", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.125)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillValue(t, v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(t, v.Index(0), n)
		fillValue(t, v.Index(1), n)
	default:
		t.Fatalf("coretest cannot fill a %s: teach it", v.Type())
	}
}
