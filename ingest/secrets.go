package ingest

import "regexp"

var (
	// secretValue is a flag or variable whose name says that its value is a secret, and the value.
	secretValue = regexp.MustCompile(`(?i)(--?[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*(?:[=:\s]\s*)|` +
		`[\w.-]*(?:key|token|passw|secret|credential)[\w.-]*=)("[^"]*"|'[^']*'|-?[^-\s]\S*)`)
	// linkPassword is the password of a URL.
	linkPassword = regexp.MustCompile(`(://[^\s/:@]*:)\S*@`)
	// homeFolder is the home of a user on Linux, macOS and Windows.
	homeFolder = regexp.MustCompile(`(?i)(^|[\s"'=:,])((?:/[\w.-]+)*?/(?:home|users)/|[a-z]:\\users\\)[^\s/\\"']+`)
)

// HideSecrets gives a command line without the values of flags and variables that are called key, token, password or
// secret, without the passwords of URLs, and with ~ for the home of a user: reports are handed on.
func HideSecrets(line string) string {
	line = secretValue.ReplaceAllString(line, "${1}xxxxx")
	return homeFolder.ReplaceAllString(linkPassword.ReplaceAllString(line, "${1}xxxxx@"), "${1}~")
}
