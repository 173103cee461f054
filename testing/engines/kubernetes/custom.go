package main

import (
	"context"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// A version of a kind that a custom resource definition declares.
type definition struct {
	shape structural.Structural
	types validation.SchemaValidator
	rules *cel.Validator
}

func readDefinitions(folder string) (map[schema.GroupVersionKind]*definition, error) {
	definitions := map[schema.GroupVersionKind]*definition{}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var declared apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &declared); err != nil {
			return nil, err
		}
		for _, version := range declared.Spec.Versions {
			kind := schema.GroupVersionKind{
				Group: declared.Spec.Group, Version: version.Name, Kind: declared.Spec.Names.Kind,
			}
			if definitions[kind], err = newDefinition(version.Schema.OpenAPIV3Schema); err != nil {
				return nil, err
			}
		}
	}
	return definitions, nil
}

func newDefinition(declared *apiextensionsv1.JSONSchemaProps) (*definition, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(declared, &internal, nil); err != nil {
		return nil, err
	}
	shape, err := structural.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	types, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, err
	}
	return &definition{*shape, types, cel.NewValidator(shape, true, celconfig.PerCallLimit)}, nil
}

func (definition *definition) problems(document []byte) []string {
	var object map[string]any
	if err := json.Unmarshal(document, &object); err != nil {
		return lines(err)
	}
	problems := []string{}
	unknown := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(object, &definition.shape, true, unknown) {
		problems = append(problems, "unknown field "+path)
	}
	defaulting.Default(object, &definition.shape)
	found := validation.ValidateCustomResource(nil, object, definition.types)
	byRule, _ := definition.rules.Validate(
		context.Background(), nil, &definition.shape, object, nil, celconfig.RuntimeCELCostBudget)
	for _, problem := range append(found, byRule...) {
		problems = append(problems, problem.Error())
	}
	return problems
}
