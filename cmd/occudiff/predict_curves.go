package main

import (
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// answerEndings are the file endings of documents that are no run's.
var answerEndings = []string{".md", ".json", ".csv"}

// answer makes what a command has to say and delivers it. Outputs are opened first, so that one that cannot be written is
// found before the work.
func (a *app) answer(endings []string, work func() (*report.Answer, error)) error {
	out, err := a.openOutputs(a.outputs, endings...)
	if err != nil {
		return err
	}
	defer out.discard()
	ans, err := work()
	if err != nil {
		return err
	}
	return a.deliver(ans, out)
}

// oneDevice finds the only device that was asked for.
func (a *app) oneDevice(l *launchFlags, what string) (arch.Choice, error) {
	t, err := a.table()
	if err != nil {
		return arch.Choice{}, err
	}
	if _, err := l.one(what, t.Knows); err != nil {
		return arch.Choice{}, err
	}
	list, err := a.chooseDevices(l)
	if err != nil {
		return arch.Choice{}, err
	}
	for _, n := range list[0].Notes {
		a.say("%s", n)
	}
	return list[0], nil
}

// launchOnDevice reads the launch and finds the only device that it is for.
func (a *app) launchOnDevice(l *launchFlags, what string) (t arch.Choice, launch predict.Launch, err error) {
	if launch, err = l.launch(); err != nil {
		return t, launch, err
	}
	registers, err := l.needs()
	if err != nil {
		return t, launch, err
	}
	if t, err = a.oneDevice(l, what); err == nil && registers > 0 {
		launch, err = launch.ForRegisters(t.Device, registers)
	}
	return t, launch, err
}
