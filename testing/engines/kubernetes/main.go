// Judges manifests as an API server of Kubernetes does, and configurations as Envoy does, without a network:
//
//	check kubernetes <folder with custom resource definitions>
//	check envoy
//
// YAML comes on standard input. Each thing that is wrong is a line; without any nothing is printed.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	problems, err := check(os.Args[1:], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
}

func check(arguments []string, input io.Reader) ([]string, error) {
	switch {
	case len(arguments) == 2 && arguments[0] == "kubernetes":
		judge, err := newManifestJudge(arguments[1])
		if err != nil {
			return nil, err
		}
		return ofEachDocument(input, judge.problems)
	case len(arguments) == 1 && arguments[0] == "envoy":
		return ofEachDocument(input, envoyProblems)
	default:
		return nil, errors.New("usage: check kubernetes <folder> | check envoy")
	}
}

// Documents arrive as JSON; a key that is given twice is a problem of the document.
func ofEachDocument(input io.Reader, problemsOf func([]byte) []string) ([]string, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(input))
	problems, documents := []string{}, 0
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		json, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if bytes.Equal(json, []byte("null")) {
			continue
		}
		documents++
		problems = append(problems, problemsOf(json)...)
	}
	if documents == 0 {
		problems = append(problems, "there is no document")
	}
	return problems, nil
}
