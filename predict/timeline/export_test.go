package timeline

// StepByStep simulates a launch without divisions and without looking for repeated states: the slow way, to test Run.
func StepByStep(in Input) Result {
	rec := &recorder{slots: in.slots()}
	s := newPartial(&in)
	for left := in.Groups * int64(in.ThreadsPerGroup); left > 0; {
		s.tick++
		threads := int64(0)
		switch in.Policy {
		case Free:
			for threads < left && threads < rec.slots {
				threads++
			}
		case Whole:
			threads = fillWhole(&in, left)
		default:
			s.fill()
			threads = s.held
			for i := range s.cores {
				left -= int64(s.cores[i].running)
				s.cores[i].end(s, s.cores[i].running, s.cores[i].ending)
			}
		}
		rec.add(threads, s.tick)
		if in.Policy != Partial {
			left -= threads
		}
	}
	return rec.result(in.Policy)
}

// fillWhole places work-groups one by one, round and round the Xe-cores, and counts the threads that it has placed.
func fillWhole(in *Input, left int64) (threads int64) {
	cores := make([]struct{ threads, groups int }, in.XeCores)
	for placed := true; placed; {
		placed = false
		for i := range cores {
			c := &cores[i]
			if threads < left && c.threads+in.ThreadsPerGroup <= in.SlotsPerXeCore && c.groups < in.GroupsPerXeCore {
				c.threads += in.ThreadsPerGroup
				c.groups++
				threads += int64(in.ThreadsPerGroup)
				placed = true
			}
		}
	}
	return threads
}
