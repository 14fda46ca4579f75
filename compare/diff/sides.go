package diff

// CompareSides compares each of the other sides with the first. All are held against one, and not against each other: of
// five that would be ten comparisons.
func CompareSides(first Side, others []Side, opt Options) []*Result {
	list := make([]*Result, len(others))
	for i, other := range others {
		list[i] = compareTwo(first.Runs, other.Runs, opt)
		list[i].Old.Name, list[i].New.Name = first.Name, other.Name
	}
	return list
}
