package compare

import (
	"reflect"
	"slices"
	"testing"

	"occudiff/ingest"
	"occudiff/internal/testenv"
)

// TestSetLaunch sets all fields of a kernel and checks which of them the row of
// a launch receives. The row has the fields that all launches share, and no sum
// or mean over launches.
func TestSetLaunch(t *testing.T) {
	of, row := &Row{Kernel: &ingest.Kernel{}}, &Row{Kernel: &ingest.Kernel{}}
	testenv.Fill(of.Kernel, 1)
	r := &Result{}
	r.launches = &ingest.Launches{}
	r.setLaunch(row, of, &ingest.LaunchRecord{})
	shared := []string{"Task", "Global", "Local", "SIMD", "Direction", "Device", "OneStack", "Reading", "Interval",
		"CounterTimeRatio"}
	kernel, launch := reflect.ValueOf(*of.Kernel), reflect.ValueOf(*row.Kernel)
	for i := range kernel.NumField() {
		field := kernel.Type().Field(i)
		value := launch.Field(i)
		switch {
		case field.Name == "Pos" || field.Name == "Instances":
		case field.Tag.Get("static") == "true" || slices.Contains(shared, field.Name):
			if value.IsZero() || !reflect.DeepEqual(value.Interface(), kernel.Field(i).Interface()) {
				t.Errorf("a launch has %s %v, and all launches have %v", field.Name, value, kernel.Field(i))
			}
		case !value.IsZero():
			t.Errorf("a launch has %s %v of all launches", field.Name, value)
		}
	}
}
