// Verifies tokens with the settings of auth.jwt, by the libraries that Grafana has for it: go-jose reads the key set and the
// tokens, and go-jmespath the organisations. It reads {"ini", "organisations", "tokens": [{"token", "after"}]} from its
// standard input, where "after" is in seconds from now, and prints a list of {"login", "organisations"} or {"refused"}.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/jmespath-community/go-jmespath"
)

type request struct {
	Ini           string         `json:"ini"`
	Organisations map[string]int `json:"organisations"`
	Tokens        []struct {
		Token string `json:"token"`
		After int    `json:"after"`
	} `json:"tokens"`
}

type result struct {
	Login         string `json:"login,omitempty"`
	Organisations []int  `json:"organisations,omitempty"`
	Refused       string `json:"refused,omitempty"`
}

var algorithms = []jose.SignatureAlgorithm{
	jose.EdDSA, jose.HS256, jose.HS384, jose.HS512, jose.RS256, jose.RS384, jose.RS512,
	jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512,
}

func main() {
	var given request
	must(json.NewDecoder(os.Stdin).Decode(&given))
	settings := settingsOf(given.Ini)
	keys := keysOf(settings["jwk_set_url"])
	results := []result{}
	for _, one := range given.Tokens {
		at := time.Now().Add(time.Duration(one.After) * time.Second)
		found, err := signIn(one.Token, at, settings, keys, given.Organisations)
		if err != nil {
			found = result{Refused: err.Error()}
		}
		results = append(results, found)
	}
	must(json.NewEncoder(os.Stdout).Encode(results))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settingsOf returns the settings of the section [auth.jwt].
func settingsOf(ini string) map[string]string {
	settings := map[string]string{}
	section := ""
	for _, line := range strings.Split(ini, "\n") {
		if strings.HasPrefix(line, "[") {
			section = strings.TrimSpace(line)
		}
		name, value, isSetting := strings.Cut(line, " = ")
		if section == "[auth.jwt]" && isSetting {
			settings[name] = strings.TrimSpace(value)
		}
	}
	return settings
}

func keysOf(address string) jose.JSONWebKeySet {
	response, err := http.Get(address)
	must(err)
	defer response.Body.Close()
	var keys jose.JSONWebKeySet
	must(json.NewDecoder(response.Body).Decode(&keys))
	return keys
}

func signIn(
	text string, at time.Time, settings map[string]string, keys jose.JSONWebKeySet, organisations map[string]int,
) (result, error) {
	token, err := jwt.ParseSigned(text, algorithms)
	if err != nil {
		return result{}, err
	}
	claims := map[string]any{}
	var registered jwt.Claims
	err = errors.New("no key")
	for _, key := range keys.Key(token.Headers[0].KeyID) {
		if err = token.Claims(key, &claims, &registered); err == nil {
			break
		}
	}
	if err != nil {
		return result{}, err
	}
	if err := expect(claims, registered, settings["expect_claims"], at); err != nil {
		return result{}, err
	}
	login, _ := claims[settings["username_claim"]].(string)
	if subject, _ := claims["sub"].(string); subject == "" || login == "" {
		return result{}, errors.New("no sub, or no login")
	}
	found, err := jmespath.Search(settings["org_attribute_path"], claims)
	if err != nil {
		return result{}, err
	}
	mapped, err := organisationsOf(found, settings["org_mapping"], organisations)
	if err != nil {
		return result{}, err
	}
	if len(mapped) == 0 && settings["role_attribute_strict"] == "true" {
		return result{}, errors.New("no organisation")
	}
	if len(mapped) == 0 {
		mapped = []int{1}
	}
	return result{Login: login, Organisations: mapped}, nil
}

// expect compares the registered claims by go-jose, with its leeway of a minute, and all others exactly.
func expect(claims map[string]any, registered jwt.Claims, setting string, at time.Time) error {
	var expected map[string]any
	if err := json.Unmarshal([]byte(setting), &expected); err != nil {
		return err
	}
	wanted := jwt.Expected{Time: at}
	if issuer, ok := expected["iss"].(string); ok {
		wanted.Issuer = issuer
	}
	if audience, ok := expected["aud"].(string); ok {
		wanted.AnyAudience = jwt.Audience{audience}
	}
	delete(expected, "iss")
	delete(expected, "aud")
	for name, value := range expected {
		if !reflect.DeepEqual(claims[name], value) {
			return fmt.Errorf("another %s", name)
		}
	}
	return registered.Validate(wanted)
}

// organisationsOf maps the names that a token has. An organisation that is not there makes the whole mapping empty.
func organisationsOf(found any, mapping string, organisations map[string]int) ([]int, error) {
	names, isList := found.([]any)
	if !isList {
		return nil, errors.New("org_attribute_path gives no list")
	}
	byName := map[string]int{}
	for _, line := range strings.Fields(mapping) {
		parts := strings.Split(line, ":")
		if len(parts) != 3 || organisations[parts[1]] == 0 {
			return nil, nil
		}
		byName[parts[0]] = organisations[parts[1]]
	}
	mapped := []int{}
	for _, name := range names {
		if id, isMapped := byName[fmt.Sprint(name)]; isMapped {
			mapped = append(mapped, id)
		}
	}
	return mapped, nil
}
