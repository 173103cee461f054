{{/* The services in the order of upgrades, by their names and the keys of their values. */}}
{{- define "roomwire.services" -}}
- { name: projections, key: projections }
- { name: gateway, key: gateway }
- { name: webhook-consumer, key: webhookConsumer }
- { name: command-api, key: commandApi }
{{- end -}}

{{/*
Projections know every kind of event that command-apis write and every reader of their read models, also on the way back: they are
never older than the others, nor are gateways and webhook-consumers older than command-apis.
*/}}
{{- define "roomwire.expectUpgradeOrder" -}}
{{- $tag := dict -}}
{{- range include "roomwire.services" . | fromYamlArray -}}
{{- $_ := set $tag .key (include "roomwire.tag" (dict "root" $ "tag" (get $.Values .key).tag)) -}}
{{- end -}}
{{- range list (list "projections" "gateway") (list "projections" "webhookConsumer") (list "gateway" "commandApi") (list "webhookConsumer" "commandApi") -}}
{{- $first := first . -}}
{{- $then := last . -}}
{{- $before := get $tag $first -}}
{{- $after := get $tag $then -}}
{{- if and (regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+$" $before) (regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+$" $after) -}}
{{- if semverCompare (printf "<%s" $after) $before -}}
{{- fail (printf "%s (%s) is upgraded before %s (%s)" $first $before $then $after) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* How long a pod takes to go: until balancers know, the drain, and the orderly end of the process. */}}
{{- define "roomwire.terminationGracePeriodSeconds" -}}
{{- if eq .name "gateway" -}}
{{- add 35 .values.drainSeconds -}}
{{- else -}}
30
{{- end -}}
{{- end -}}
