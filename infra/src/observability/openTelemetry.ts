import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type Span as SdkSpan,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Span, SpanStart, Tracing } from '@roomwire/shared/ports/tracing';
import type { TracingSettings } from '../config/tracingSettings.js';
import { version } from '../version.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

export interface OpenTelemetry {
  readonly tracing: Tracing;
  /** Exports what has ended, and accepts no more. Resolves within two seconds, whether the collector takes it or not. */
  readonly close: () => Promise<void>;
}

const closeMs = 2_000;

/** Traces by OpenTelemetry's SDK. This is the only file that knows it, and it is loaded only where traces are configured. */
export const openTelemetry = (
  { url, sampler, ratio, delayMs }: TracingSettings,
  serviceName: string,
  logger: Logger,
): OpenTelemetry => {
  diag.setLogger(quietly(logger), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const own = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version });
  const exporter = new OTLPTraceExporter({ url });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: delayMs })],
  });
  return {
    tracing: tracingBy(provider.getTracer('roomwire', version)),
    close: () =>
      withTimeout(
        closeMs,
        provider.shutdown().catch(() => undefined),
        () => undefined,
      ),
  };
};

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanStart['kind'], SpanKind>;

const tracingBy = (tracer: Tracer): Tracing => ({
  begin(name, { kind, parent, attributes = {} }) {
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent));
    return span.isRecording() ? new RecordedSpan(span) : undefined;
  },
});

class RecordedSpan implements Span {
  readonly traceparent: string;
  private readonly span: SdkSpan;

  constructor(span: SdkSpan) {
    this.span = span;
    const { traceId, spanId } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-0${TraceFlags.SAMPLED}`;
  }

  set(attributes: NonNullable<SpanStart['attributes']>): void {
    this.span.setAttributes({ ...attributes });
  }

  /** The kind of error and no more: messages may name what customers sent. */
  end(error?: unknown): void {
    if (error !== undefined) {
      this.span.setStatus({ code: SpanStatusCode.ERROR });
      this.span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    }
    this.span.end();
  }
}

const contextOf = (parent: string | undefined): Context => {
  const spanContext = parent === undefined ? null : parseTraceParent(parent);
  return spanContext === null
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, isRemote: true });
};

const samplerOf = (name: TracingSettings['sampler'], ratio: number): Sampler => {
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
};

const rootSampler = (name: string, ratio: number): Sampler => {
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
};

const betweenWarningsMs = 60_000;

/** Logs an unreachable collector once a minute, not with each batch that fails. */
const quietly = (logger: Logger) => {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const error = (message: string, ...details: unknown[]): void => {
    const now = performance.now();
    if (now - warnedAt < betweenWarningsMs) return;
    warnedAt = now;
    logger.warn('Traces cannot be sent', { reason: reasonOf([message, ...details].map(String).join(' ')) });
  };
  const nothing = (): void => undefined;
  return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
};

/** The library writes down errors as JSON, with their stack. */
const reasonOf = (text: string): string => {
  try {
    return String((JSON.parse(text) as { readonly message?: unknown }).message);
  } catch {
    return text.slice(0, 500); // Not an error, but a sentence.
  }
};
