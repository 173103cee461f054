{{/* A value of a variable as text; numbers come from YAML as floats, which would be written with an exponent. */}}
{{- define "roomwire.variable" -}}
{{- if kindIs "float64" . -}}
{{- . | int64 | toString | quote -}}
{{- else -}}
{{- . | toString | quote -}}
{{- end -}}
{{- end -}}

{{/* Those of every service; none is secret. */}}
{{- define "roomwire.settings" -}}
# The probes, the services and the ingress count on the first two, Prometheus on the third.
ROOMWIRE_HOST: 0.0.0.0
ROOMWIRE_PORT: '8080'
ROOMWIRE_OPS_HOST: 0.0.0.0
ROOMWIRE_OPS_PORT: '9090'
ROOMWIRE_TRUSTED_PROXIES: {{ .Values.trustedProxies | quote }}
ROOMWIRE_KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
ROOMWIRE_KAFKA_TLS: {{ .Values.kafka.tls | quote }}
{{- if and .Values.kafka.tls .Values.certificatesSecret }}
ROOMWIRE_KAFKA_CA_FILE: /certificates/ca.pem
{{- end }}
{{- with .Values.kafka.saslMechanism }}
ROOMWIRE_KAFKA_SASL_MECHANISM: {{ . }}
{{- end }}
# Customers' webhooks must not reach into the cluster.
ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'false'
ROOMWIRE_MESSAGE_RECORDING: {{ .Values.messageRecording | quote }}
ROOMWIRE_LOG_LEVEL: {{ .Values.logLevel }}
{{- range $variable, $value := .Values.settings }}
{{ $variable }}: {{ include "roomwire.variable" $value }}
{{- end }}
{{- end -}}
