package report

// Screen is what every form of an answer begins with: what a reader takes in within five seconds. It is made once, so
// that a terminal, a page, a sheet and a card say the same.
type Screen struct {
	Line  string   // what ran on what, for how long, and how much of it is as predicted
	Means string   // what that means for its time; may be empty
	Notes []string // what is not whole, or contradicts itself: said before any figure
	// Rows are the first of the kernels, nil without any. Each cell is a text as people read it. The first column is the
	// number of a row, empty where nothing is to do. Of the form Facts there is one row, and its columns are its lines.
	Rows *Table
	Bars *StackedBars // where the thread slots of each of the rows went; nil where nothing tells
	More string       // "and 31 more, 4% of the time"; empty where Rows has all
	Do   []string     // sentences below the rows
	Ask  string       // heads Sure: why it is asked for; may be empty
	Sure []Check      // what to run before anything is changed
	Hint string       // where more is
}

// Check is a command that settles something about rows.
type Check struct {
	Rows    string // their numbers: "1, 3"; empty where it is about all
	Command string
	Gives   string // what comes of it; may be empty
}

// Text is the command and what comes of it.
func (c *Check) Text() string {
	if c.Gives == "" {
		return c.Command
	}
	return c.Command + "   (" + c.Gives + ")"
}

// ScreenRows is how many rows a screen has at most.
const ScreenRows = 10
