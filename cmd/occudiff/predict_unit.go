package main

import (
	"os"
	"strings"

	"occudiff/report"
	"occudiff/report/launchdoc"
	"occudiff/report/outfile"

	"github.com/spf13/pflag"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/computeunit"
)

// unitFlags choose the model of compute units and its platform; `predict` and `advise` share them.
type unitFlags struct {
	model        string
	platform     string
	platformFile string
}

func (u *unitFlags) add(f *pflag.FlagSet) {
	f.StringVar(&u.model, "model", "intel", "intel: thread slots of Intel GPUs; compute-unit: the register file of any vendor's")
	f.StringVar(&u.platform, "platform", "", "of --model compute-unit: gen11, rtx2080ti, mali_g52, a key of --platform-file, or a platform file that holds one")
	f.StringVar(&u.platformFile, "platform-file", "", "CSV of further platforms: key,name,processing_blocks,subgroups_per_block,register_bytes_per_subgroup,register_bytes,slm_bytes,max_groups and optionally compute_units,subgroup_sizes,max_group_size,source,confidence")
}

// platforms gives the table of platforms with the user's on top, and the key that was asked for, which may be empty.
func (u *unitFlags) platforms() (*computeunit.Table, string, error) {
	t, err := computeunit.Builtin()
	if err != nil {
		return nil, "", err
	}
	file, key := u.platformFile, u.platform
	if file == "" && strings.HasSuffix(strings.ToLower(key), ".csv") {
		file, key = key, ""
	}
	if file != "" {
		more, err := readPlatforms(file)
		if err != nil {
			return nil, "", err
		}
		t = t.With(more)
		if key == "" && len(more) == 1 {
			key = more[0].Key
		} else if key == "" && u.platform != "" {
			return nil, "", usageErrorf("%s holds %d platforms: give it as --platform-file and name one with --platform", file, len(more))
		}
	}
	if key != "" {
		p, err := t.Find(key)
		if err != nil {
			return nil, "", usageErrorf("--platform: %v", err)
		}
		key = p.Key
	}
	return t, key, nil
}

func readPlatforms(file string) ([]computeunit.Platform, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, note.Faultf("platform-file", note.Pos{File: file}, "give a CSV file with a row per platform", "the platform file cannot be opened: %v", outfile.Reason(err))
	}
	defer f.Close()
	return computeunit.Read(file, f)
}

// onePlatform gives the platform that was asked for.
func (u *unitFlags) onePlatform() (computeunit.Platform, error) {
	t, key, err := u.platforms()
	if err != nil {
		return computeunit.Platform{}, err
	}
	if key == "" {
		var keys []string
		for _, p := range t.Platforms() {
			keys = append(keys, p.Key)
		}
		return computeunit.Platform{}, usageErrorf("no platform is named: give --platform with one of %s, or a platform file", strings.Join(keys, ", "))
	}
	return t.Find(key)
}

// unitLaunch reads a kernel on a compute unit from the flags.
func (l *launchFlags) unitLaunch() (computeunit.Launch, error) {
	var k computeunit.Launch
	local, err := unit.ParseSize(strings.TrimSpace(l.local))
	if err != nil {
		return k, usageErrorf("--local: %v", err)
	}
	if local.Present() {
		var ok bool
		if k.GroupSize, ok = local.Items(); !ok {
			return k, usageErrorf("--local %s has more than 2^63-1 work-items", l.local)
		}
	}
	k.SubgroupSize = int64(l.simd)
	if k.SLM, err = parseBytes("slm", l.slm); err != nil {
		return k, err
	}
	k.RegisterBytes, err = parseBytes("registers", l.registers)
	return k, err
}

// predictUnit predicts a kernel on a compute unit.
func (a *app) predictUnit(p *predictFlags) (*report.Answer, error) {
	platform, err := p.onePlatform()
	if err != nil {
		return nil, err
	}
	launch, err := p.unitLaunch()
	if err != nil {
		return nil, err
	}
	switch {
	case p.local == "":
		return nil, usageErrorf("no work-group size is given: --local, as in 64")
	case p.simd == 0:
		return nil, usageErrorf("no sub-group size is given: --simd, as in 16 or 32")
	}
	groups, err := p.groups()
	if err != nil {
		return nil, err
	}
	return launchdoc.ComputeUnit(&platform, launch, groups)
}

// groups counts the work-groups of the launch, 0 without a global size.
func (l *launchFlags) groups() (int64, error) {
	if strings.TrimSpace(l.global) == "" {
		return 0, nil
	}
	launch, err := l.launch()
	if err != nil {
		return 0, err
	}
	if _, ok := launch.Global.Items(); !ok {
		return 0, usageErrorf("--global %s has more than 2^63-1 work-items", l.global)
	}
	groups := int64(1) // no overflow: there are no more work-groups than work-items
	for i := range 3 {
		groups *= (launch.Global.Dim(i)-1)/launch.Local.Dim(i) + 1
	}
	return groups, nil
}
