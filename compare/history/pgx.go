package history

// The driver registers itself as "pgx".
import _ "github.com/jackc/pgx/v5/stdlib"
