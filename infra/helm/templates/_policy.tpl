{{/* The head of a policy: (root, name), and for those of some services alone: services. */}}
{{- define "roomwire.policyHead" }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "roomwire.fullname" .root }}-{{ .name }}
  labels:
    {{- include "roomwire.labels" .root | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "roomwire.releaseLabels" .root | nindent 6 }}
    {{- with .services }}
    matchExpressions:
      - key: app.kubernetes.io/name
        operator: In
        values:
          {{- toYaml . | nindent 10 }}
    {{- end }}
{{- end }}
