package main

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type manifestJudge struct {
	definitions map[schema.GroupVersionKind]*definition
}

func newManifestJudge(definitionsFolder string) (*manifestJudge, error) {
	definitions, err := readDefinitions(definitionsFolder)
	return &manifestJudge{definitions}, err
}

type header struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (judge *manifestJudge) problems(document []byte) []string {
	var head header
	if err := json.Unmarshal(document, &head); err != nil {
		return lines(err)
	}
	kind := head.GroupVersionKind()
	found := []string{}
	if custom, known := judge.definitions[kind]; known {
		found = custom.problems(document)
	} else {
		found = builtinProblems(kind, document)
	}
	for index, problem := range found {
		found[index] = fmt.Sprintf("%s/%s: %s", kind.Kind, head.Name, problem)
	}
	return found
}
