package batch

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// Kernel is a kernel of an image on one device.
type Kernel struct {
	zebin.Kernel
	File   string // with the member of an archive behind it
	Device *arch.Device
	// Prediction is nil when the kernel cannot run with the size that was asked for; Message says why.
	Prediction *predict.BinaryPrediction
	Message    string
	Mode       *Mode // of Registers alone
}

// Options say what is predicted. The zero value predicts full GPUs of the devices that the images name.
type Options struct {
	Devices []*arch.Device           // those that were asked for; none takes what each image says
	Global  unit.Size3               // absent predicts a full GPU
	Local   names.ByName[unit.Size3] // for kernels that do not fix their work-group size; absent takes the best one

	Compiler string // options of the OpenCL compiler, for sources
}

// predictImages predicts every kernel of the images, in their order. The error says which devices the images are for
// when none is for a device that was asked for, or that nothing says which device it is.
func predictImages(images []zebin.Image, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	var kernels []Kernel
	var notes []note.Note
	fits := make([][]*arch.Device, len(images)) // the devices to predict each image for
	for i := range images {
		notes = append(notes, images[i].Notes...)
		of := t.Compiled(images[i].Target.Family, images[i].Target.Release)
		if len(opt.Devices) > 0 {
			fits[i] = slices.DeleteFunc(slices.Clone(opt.Devices), func(d *arch.Device) bool {
				return !t.CompiledFor(d, images[i].Target.Family, images[i].Target.Release)
			})
			continue
		}
		if len(of) == 0 {
			return nil, nil, note.Faultf("no-device", images[i].Pos, "name it with --device (see 'occudiff devices')",
				"the binary is for %s, which is not in the device table", images[i].Target)
		}
		// One of a family, not all: kernels of one image on five devices would be five rows that say nearly the same.
		fits[i] = of[:1]
		if len(of) > 1 {
			notes = append(notes, note.Note{Severity: note.Warning, Code: "device-family", Pos: images[i].Pos,
				Text: fmt.Sprintf("the binary is for %d devices; %s is taken, which has most thread slots", len(of),
					of[0].Key),
				Hint: "name another one with --device: " + keys(of[1:])})
		}
	}
	more, err := forAsked(images, fits, t, opt.Devices)
	if err != nil {
		return nil, nil, err
	}
	for i := range images {
		for _, d := range fits[i] {
			for _, k := range images[i].Kernels {
				kernels = append(kernels, predictOne(k, images[i].Pos.File, d, opt))
			}
		}
	}
	return kernels, append(notes, more...), nil
}

// forAsked makes sure that each device that was asked for has an image. A single image is taken for any device, with a
// warning: a person may want to know. Of several images one has to fit.
func forAsked(images []zebin.Image, fits [][]*arch.Device, t *arch.Table, asked []*arch.Device) ([]note.Note, error) {
	var notes []note.Note
	for _, d := range asked {
		if slices.ContainsFunc(fits, func(f []*arch.Device) bool { return slices.Contains(f, d) }) {
			continue
		}
		// Of several images one was meant for the device; to take another one would predict code that never runs
		// there.
		if len(images) > 1 {
			return nil, note.Faultf("no-image", note.Pos{File: images[0].Pos.File},
				"compile it for this device, or name another one",
				"no image is for %s; they are for %s", d.Key, targetsOf(images, t))
		}
		fits[0] = append(fits[0], d)
		if images[0].Target != (zebin.Target{}) {
			notes = append(notes, note.Note{Severity: note.Warning, Code: "other-device", Pos: images[0].Pos,
				Text: fmt.Sprintf("compiled for %s and predicted for %s: the compiler may choose otherwise for that",
					targetsOf(images, t), d.Key)})
		}
	}
	return notes, nil
}

// targetsOf lists the devices that images are for.
func targetsOf(images []zebin.Image, t *arch.Table) string {
	var words []string
	for i := range images {
		word := images[i].Target.String()
		if of := t.Compiled(images[i].Target.Family, images[i].Target.Release); len(of) > 0 {
			word = keys(of)
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, "; ")
}

func keys(devices []*arch.Device) string {
	words := make([]string, len(devices))
	for i, d := range devices {
		words[i] = d.Key
	}
	return strings.Join(words, ", ")
}

func predictOne(k zebin.Kernel, file string, d *arch.Device, opt Options) Kernel {
	one := Kernel{Kernel: k, File: file, Device: d}
	local, _ := opt.Local.Of(k.Name)
	p, err := predict.PredictCompiled(d, predict.Compiled{
		SIMD: k.SIMD, Registers: k.Registers, SLM: k.SLM, Barriers: k.Barriers, Local: k.Local,
	}, opt.Global, local)
	if err != nil {
		one.Message = err.Error()
		return one
	}
	one.Prediction = &p
	var says []string
	if p.Prediction.Partial {
		says = append(says, fmt.Sprintf("the work-group size %s does not divide the global size %s", p.Launch.Local,
			opt.Global))
	}
	if k.SLMIsLowerBound {
		says = append(says, "arguments in local memory add to the SLM at launch, so this occupancy is an upper bound")
	}
	if k.StackCalls {
		says = append(says, "it calls functions whose registers are not in this count")
	}
	one.Message = strings.Join(says, "; ")
	return one
}
