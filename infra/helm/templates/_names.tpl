{{/* What the names of all objects begin with. */}}
{{- define "roomwire.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains "roomwire" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-roomwire" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The pods of a release. */}}
{{- define "roomwire.releaseLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: roomwire
{{- end -}}

{{- define "roomwire.labels" -}}
{{ include "roomwire.releaseLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The pods of a service: (root, name). The dashboard and the alerts know services by this name. */}}
{{- define "roomwire.podLabels" -}}
app.kubernetes.io/name: {{ .name }}
{{ include "roomwire.releaseLabels" .root }}
{{- end -}}

{{- define "roomwire.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- include "roomwire.fullname" . -}}
{{- else -}}
{{- required "serviceAccount.name: where none is created" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* What a service runs: (root, tag). */}}
{{- define "roomwire.tag" -}}
{{- .tag | default .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- end -}}

{{- define "roomwire.image" -}}
{{- with .root.Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (include "roomwire.tag" $) -}}
{{- end -}}
{{- end -}}
{{- end -}}
