package testenv

import (
	"reflect"
	"strings"

	"occudiff/ingest/unit"
)

// Fill sets each exported field of a struct to a different value: numbers count
// up from next, and texts are the names of their fields. It returns the last
// number.
func Fill(row any, next int64) int64 {
	fill(reflect.ValueOf(row).Elem(), "", &next)
	return next
}

// fill sets each exported field of a value.
func fill(v reflect.Value, name string, next *int64) {
	*next++
	n := *next
	if size, ok := v.Addr().Interface().(*unit.Size3); ok {
		*size = unit.Size(n, n)
		return
	}
	if strings.HasPrefix(v.Type().Name(), "Opt[") {
		*next-- // the number belongs to the value
		settable := func(f reflect.Value) reflect.Value {
			return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
		}
		fill(settable(v.Field(0)), name, next)
		settable(v.Field(1)).SetBool(true)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), f.Name, next)
			}
		}
	case reflect.String:
		v.SetString(strings.ToLower(name))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(n)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(float64(n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name, next)
	}
}
