{{/* (root, name, values, and for one that is kept beside the others: suffix, replicas) */}}
{{- define "roomwire.deployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $name := printf "%s-%s%s" (include "roomwire.fullname" $root) .name (.suffix | default "") -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "roomwire.labels" $root | nindent 4 }}
spec:
  {{- if .replicas }}
  replicas: {{ .replicas }}
  {{- else if not (dig "autoscaling" "enabled" false $values) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  selector:
    matchLabels: &labels
      {{- include "roomwire.podLabels" . | nindent 6 }}
      {{- with .suffix }}
      kept: old
      {{- end }}
  # One at a time, and the next one only once the new one is ready.
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels: *labels
      annotations:
        prometheus.io/scrape: 'true'
        prometheus.io/port: '9090'
        prometheus.io/path: /metrics
        # Pods read the settings when they start.
        checksum/settings: {{ include "roomwire.settings" $root | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "roomwire.serviceAccountName" $root }}
      automountServiceAccountToken: false
      # The cluster's own variables begin with the names of services, and those of Roomwire are Roomwire's.
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ include "roomwire.terminationGracePeriodSeconds" . }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        # The user `node` of the image.
        runAsUser: 1000
        runAsGroup: 1000
        seccompProfile:
          type: RuntimeDefault
      {{- include "roomwire.placement" . | nindent 6 }}
      containers:
        - name: {{ .name }}
          image: {{ include "roomwire.image" (dict "root" $root "tag" $values.tag) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .name }}]
          envFrom:
            - configMapRef:
                name: {{ include "roomwire.fullname" $root }}
            # What this service needs, and no other has.
            - secretRef:
                name: {{ $values.secretName }}
          {{- $own := $values.settings }}
          {{- if eq .name "gateway" }}
          {{- $own = merge (dict "ROOMWIRE_DRAIN_SECONDS" $values.drainSeconds) $own }}
          {{- end }}
          {{- with $own }}
          env:
            {{- range $variable, $value := . }}
            - name: {{ $variable }}
              value: {{ include "roomwire.variable" $value }}
            {{- end }}
          {{- end }}
          ports:
            - name: http
              containerPort: 8080
            - name: metrics
              containerPort: 9090
          {{- include "roomwire.probes" . | nindent 10 }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          {{- if $root.Values.certificatesSecret }}
          volumeMounts:
            - name: certificates
              mountPath: /certificates
              readOnly: true
          {{- end }}
      {{- if $root.Values.certificatesSecret }}
      volumes:
        - name: certificates
          secret:
            secretName: {{ $root.Values.certificatesSecret }}
      {{- end }}
{{- end -}}

{{- define "roomwire.probes" -}}
startupProbe:
  httpGet:
    path: /healthz
    port: http
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 30
livenessProbe:
  httpGet:
    path: /healthz
    port: http
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
# Asks the engines, which have a second to answer.
readinessProbe:
  httpGet:
    path: /readyz
    port: http
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
lifecycle:
  # The balancers learn that the pod goes before it stops taking what they send.
  preStop:
    exec:
      command: [sleep, '5']
{{- end -}}

{{- define "roomwire.placement" -}}
{{- $spread := .values.topologySpread -}}
{{- $keys := list (list "topology.kubernetes.io/zone" $spread.zones) (list "kubernetes.io/hostname" $spread.hosts) -}}
{{- if or $spread.zones $spread.hosts -}}
topologySpreadConstraints:
  {{- range $keys }}
  {{- if last . }}
  - topologyKey: {{ first . }}
    maxSkew: 1
    whenUnsatisfiable: {{ last . }}
    # Of one version at a time, so that an upgrade ends as evenly as it began.
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "roomwire.podLabels" $ | nindent 8 }}
  {{- end }}
  {{- end }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with get $.values $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
