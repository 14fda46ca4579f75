package history

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// address is where a history is: a file, or a database on a server.
type address struct {
	name   string // what the driver gets, with the password
	where  string // what people see
	server bool
}

var (
	// scheme begins a URL, and what looks like one of a server with a slash or the scheme left out.
	scheme = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://|postgres(?:ql)?:/?|//`)
	// keyword begins a connection string of the form "host=... password=...".
	keyword = regexp.MustCompile(`(?i)(^|\s)(host|hostaddr|port|dbname|database|user|password|passfile|service|` +
		`servicefile|sslmode)\s*=`)
	// password is what follows a word such as password= or sslpassword=.
	password = regexp.MustCompile(`(?is)(pass[a-z]*\s*=\s*).*`)
)

// newAddress tells a file from a server. What is neither is refused: SQLite would make a file of any name. No error
// shows what may be a password.
func newAddress(dsn string) (address, error) {
	refuse := func(what, instead string) (address, error) {
		return address{}, fmt.Errorf("%w: %s; %s", errNotHistory, what, instead)
	}
	begins := scheme.FindString(dsn)
	switch name := strings.ToLower(begins); {
	case begins == "" || !strings.HasPrefix(dsn, begins) || begins == "//" && !strings.Contains(dsn, "@"):
	case name == "postgres://" || name == "postgresql://":
		return serverAddress(name + dsn[len(begins):])
	default:
		return refuse(begins+"... is no kind of history", "name a file, or a PostgreSQL server with a postgres:// URL")
	}
	switch {
	case keyword.MatchString(dsn):
		return refuse("a connection string of keywords is not understood",
			"write it as postgres://user@host:port/database; a file of this name is ./NAME")
	case dsn == ":memory:":
		return refuse("a history in memory would be gone at the end of the command", "name a file")
	case strings.HasPrefix(dsn, "file:"), strings.HasPrefix(dsn, "sqlite:"):
		return refuse(dsn[:strings.IndexByte(dsn, ':')+1]+" is not part of a path", "give the path alone")
	}
	return address{name: dsn, where: dsn}, nil
}

// serverAddress reads a postgres:// URL as the driver does, the environment (PGPASSWORD and others), .pgpass and
// service files included.
func serverAddress(dsn string) (address, error) {
	const expected = "expected postgres://user@host:port/database; special characters of a password are written as in" +
		" %40, or it comes from PGPASSWORD or .pgpass"
	if misplaced(dsn) {
		return address{}, fmt.Errorf("%w: the postgres:// URL cannot be understood; %s", errConnection, expected)
	}
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return address{}, fmt.Errorf("%w: the postgres:// URL cannot be used%s; %s", errConnection,
			safeReason(dsn, err), expected)
	}
	var hosts []string
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Path: "/" + c.Database}
	for _, f := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port}}, c.Fallbacks...) {
		network, at := pgconn.NetworkAddress(f.Host, f.Port)
		if network == "unix" {
			u.RawQuery = "host=" + f.Host
			at = ""
			if f.Port != 5432 {
				u.RawQuery += "&port=" + strconv.Itoa(int(f.Port))
			}
		} else if f.Port == 5432 {
			at = strings.TrimSuffix(at, ":5432")
		}
		if !slices.Contains(hosts, at) {
			hosts = append(hosts, at)
		}
	}
	u.Host = strings.Join(hosts, ",")
	return address{name: dsn, where: u.String(), server: true}, nil
}

// misplaced says whether a character of a password that is not written as %40 and the like has moved the parts of a
// URL, so that some of the password would count as a host or as the name of a database.
func misplaced(dsn string) bool {
	_, rest, _ := strings.Cut(dsn, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if strings.Count(rest[:end], "@") > 1 {
		return true
	}
	path, query, _ := strings.Cut(rest[end:], "?")
	if strings.ContainsAny(path, "@#") || strings.Contains(query, "#") {
		return true
	}
	for pair := range strings.SplitSeq(query, "&") {
		if strings.Contains(pair, "@") && !strings.HasPrefix(pair, "user=") {
			return true
		}
	}
	return false
}

// safeReason says why the driver cannot use a URL, unless that may quote a part of it that is secret.
func safeReason(dsn string, err error) string {
	inner := errors.Unwrap(err)
	if _, parses := url.Parse(dsn); parses != nil || inner == nil {
		return ""
	}
	text := inner.Error()
	for _, s := range Secrets(dsn) {
		if strings.Contains(text, s) {
			return ""
		}
	}
	return ": " + text
}

// Mask gives a word of a command line, or the name of a history, without the passwords in it.
func Mask(word string) string {
	if at := scheme.FindStringIndex(word); at != nil {
		before, link := word[:at[0]], word[at[0]:]
		if a, err := newAddress(link); err == nil && a.server {
			return before + a.where
		}
		if strings.Contains(link, "@") || password.MatchString(link) || !strings.HasSuffix(word[:at[1]], "//") {
			return before + word[at[0]:at[1]] + "..."
		}
	}
	return password.ReplaceAllString(word, "${1}xxxxx")
}

// userPassword is what stands between a user and a host, or behind a user without a host.
var userPassword = regexp.MustCompile(`(?i)(?:postgres(?:ql)?:/?|//)[^:/?#]*:(.*)@|postgres(?:ql)?:/?[^:/?#]*:(.*)`)

// Secrets gives the passwords in a word, as they stand there and as they are meant.
func Secrets(word string) []string {
	var list []string
	add := func(s string) {
		list = append(list, s)
		if plain, err := url.QueryUnescape(s); err == nil && plain != s {
			list = append(list, plain)
		}
	}
	if m := userPassword.FindStringSubmatch(word); m != nil {
		add(m[1] + m[2])
	}
	for _, m := range password.FindAllStringSubmatchIndex(word, -1) {
		rest := strings.TrimLeft(word[m[3]:], "'")
		if end := strings.IndexAny(rest, "&' \t\n"); end >= 0 {
			rest = rest[:end]
		}
		add(rest)
	}
	return list
}
