import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@roomwire/testing/run/eventually';

/** A span as it came in. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  /** By the protocol: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number | undefined;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
}

type KeyValues = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: KeyValues;
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector of OpenTelemetry's protocol: a real HTTP server that takes OTLP as JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that was sent, word for word. */
  received = '';
  readonly paths = new Set<string>();
  requests = 0;
  /** What it answers. */
  status = 200;
  private readonly server = createServer((request, response) => {
    void this.take(request).finally(() =>
      response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}'),
    );
  });

  static async open(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await once(collector.server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  /** As `OTEL_EXPORTER_OTLP_ENDPOINT` takes it. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  ofTrace(traceId: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Resolves with the spans of these names in the order of the names, as soon as there is one of each. */
  async found(among: () => readonly CollectedSpan[], ...names: readonly string[]): Promise<CollectedSpan[]> {
    const find = () => names.map((name) => among().find((span) => span.name === name));
    await eventually(() => find().every((span) => span !== undefined), {
      withinMs: 20_000,
      what: `the spans ${names.join(', ')}`,
    });
    return find().filter((span) => span !== undefined);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage): Promise<void> {
    const body = await text(request);
    this.requests += 1;
    this.paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`);
    this.received += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as TraceRequest).resourceSpans) {
      const service = String(recordOf(resource.attributes)['service.name']);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map((span) => collected(span, service)));
    }
  }
}

const collected = (span: WireSpan, service: string): CollectedSpan => {
  const { name, traceId, spanId, parentSpanId = '', kind, attributes, status } = span;
  return {
    ...{ service, name, traceId, spanId, parentSpanId, kind, status: status.code },
    attributes: recordOf(attributes),
    startedAt: BigInt(span.startTimeUnixNano),
    endedAt: BigInt(span.endTimeUnixNano),
  };
};

const recordOf = (attributes: KeyValues): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
