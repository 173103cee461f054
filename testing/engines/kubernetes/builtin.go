package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	// Their versions and defaults, and what is checked by declaration.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
)

// What the API server asks before it creates one, and the plural by which it is asked.
var builtin = map[schema.GroupKind]struct {
	strategy rest.RESTCreateStrategy
	resource string
}{
	{Kind: "ConfigMap"}:                                     {configmap.Strategy, "configmaps"},
	{Kind: "Namespace"}:                                     {namespace.Strategy, "namespaces"},
	{Kind: "PersistentVolumeClaim"}:                         {persistentvolumeclaim.Strategy, "persistentvolumeclaims"},
	{Kind: "Secret"}:                                        {secret.Strategy, "secrets"},
	{Kind: "Service"}:                                       {service.Strategy, "services"},
	{Kind: "ServiceAccount"}:                                {serviceaccount.Strategy, "serviceaccounts"},
	{Group: "apps", Kind: "Deployment"}:                     {deployment.Strategy, "deployments"},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {horizontalpodautoscaler.Strategy, "horizontalpodautoscalers"},
	{Group: "networking.k8s.io", Kind: "Ingress"}:           {ingress.Strategy, "ingresses"},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:     {networkpolicy.Strategy, "networkpolicies"},
	{Group: "policy", Kind: "PodDisruptionBudget"}:          {poddisruptionbudget.Strategy, "poddisruptionbudgets"},
}

// An unknown field is an error, as it is for `kubectl apply --validate=strict`.
var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()

const anyNamespace = "roomwire"

func builtinProblems(kind schema.GroupVersionKind, json []byte) []string {
	row, known := builtin[kind.GroupKind()]
	if !known {
		return []string{"not a kind that is known here"}
	}
	object, _, err := strict.Decode(json, nil, nil)
	if err != nil {
		return lines(err)
	}
	ctx := requestFor(object, kind, row.strategy.NamespaceScoped(), row.resource)
	if accessor, err := meta.Accessor(object); err == nil {
		rest.FillObjectMetaSystemFields(accessor)
		if row.strategy.NamespaceScoped() && accessor.GetNamespace() == "" {
			accessor.SetNamespace(anyNamespace)
		}
	}
	// The store of services does so before it asks.
	if service, isService := object.(*core.Service); isService && service.Spec.ClusterIP != "" {
		service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	}
	if err := rest.BeforeCreate(row.strategy, ctx, object); err != nil {
		return lines(err)
	}
	problems := row.strategy.WarningsOnCreate(ctx, object)
	return append(problems, privileges(object)...)
}

// What is checked by declaration is asked of the version that the request names.
func requestFor(object runtime.Object, kind schema.GroupVersionKind, namespaced bool, resource string) context.Context {
	ctx := genericapirequest.WithRequestInfo(context.Background(), &genericapirequest.RequestInfo{
		APIGroup: kind.Group, APIVersion: kind.Version, Resource: resource, IsResourceRequest: true, Verb: "create",
	})
	if !namespaced {
		return genericapirequest.WithNamespace(ctx, "")
	}
	requested := anyNamespace
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetNamespace() != "" {
		requested = accessor.GetNamespace()
	}
	return genericapirequest.WithNamespace(ctx, requested)
}

// What the level `restricted` of the pod security standards forbids.
func privileges(object runtime.Object) []string {
	owner, isDeployment := object.(*apps.Deployment)
	if !isDeployment {
		return nil
	}
	var spec corev1.PodSpec
	template := owner.Spec.Template.DeepCopy()
	if err := corev1conversion.Convert_core_PodSpec_To_v1_PodSpec(&template.Spec, &spec, nil); err != nil {
		return lines(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return lines(err)
	}
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	verdict := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &template.ObjectMeta, &spec))
	if verdict.Allowed {
		return nil
	}
	return []string{"forbidden by the pod security standard `restricted`: " + verdict.ForbiddenDetail()}
}

func lines(err error) []string {
	return strings.Split(strings.TrimSpace(fmt.Sprint(err)), "\n")
}
