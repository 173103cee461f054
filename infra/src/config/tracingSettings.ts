import type { VariableReader } from '../environment.js';

/** The names of OpenTelemetry's own specification. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingSettings {
  /** Where spans are sent, with its path. */
  readonly url: string;
  readonly sampler: (typeof samplers)[number];
  /** Of the traces that begin here, with the samplers that have one. */
  readonly ratio: number;
  /** How long spans wait for others to be sent with. */
  readonly delayMs: number;
}

/** Publishes come by the thousand: one trace in a hundred is enough, and keeps the cost low. */
const defaultRatio = 0.01;

/** By OpenTelemetry's variables; undefined where no endpoint is set. The library itself reads headers and other variables. */
export const readTracing = (read: VariableReader, problems: string[]): TracingSettings | undefined => {
  const protocols = ['http:', 'https:'];
  const own = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', protocols);
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', protocols);
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  const isDisabled = read.flag('OTEL_SDK_DISABLED', false);
  const exporter = read.oneOf('OTEL_TRACES_EXPORTER', 'otlp', ['otlp', 'none']);
  const sampler = read.oneOf('OTEL_TRACES_SAMPLER', 'parentbased_traceidratio', samplers);
  const ratio = read.fraction('OTEL_TRACES_SAMPLER_ARG', defaultRatio);
  const delayMs = read.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, { min: 1, max: 600_000 });
  const protocol = protocolOf(read);
  if (url === undefined || isDisabled || exporter === 'none') return undefined;
  if (protocol !== undefined && protocol !== 'http/json')
    problems.push(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, which every collector takes on its HTTP port',
    );
  return { url, sampler, ratio, delayMs };
};

const protocolOf = (read: VariableReader): string | undefined =>
  read.text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read.text('OTEL_EXPORTER_OTLP_PROTOCOL');
