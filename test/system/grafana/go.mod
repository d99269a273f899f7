module verify

go 1.24.0

require (
	github.com/go-jose/go-jose/v4 v4.1.9
	github.com/jmespath-community/go-jmespath v1.1.1
)

require golang.org/x/exp v0.0.0-20230314191032-db074128a8ec // indirect
