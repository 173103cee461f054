import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import { Distribution, secondsBounds } from '@roomwire/shared/runtime/distribution';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import { requestIdOf } from './request.js';

/** What requests are counted by: the path as the table of routes has it, never as it was sent. */
export interface MeasuredRoute {
  readonly method: string;
  readonly route: string;
}

/** How long one route takes, by what it answers. */
export class RouteTimes {
  readonly of: MeasuredRoute;
  readonly byStatus = new Map<number, Distribution>();

  constructor(of: MeasuredRoute) {
    this.of = of;
  }

  observe(status: number, seconds: number): void {
    let times = this.byStatus.get(status);
    if (times === undefined) this.byStatus.set(status, (times = new Distribution(secondsBounds)));
    times.observe(seconds);
  }
}

/** What a command-api has counted of the requests that came to its routes. */
export class RequestMetrics {
  inFlight = 0;
  /** Writes that were answered before the read models showed them. */
  waitsExpired = 0;
  private readonly routes: RouteTimes[] = [];

  timesOf(route: MeasuredRoute): RouteTimes {
    const times = new RouteTimes(route);
    this.routes.push(times);
    return times;
  }

  readonly collect: CollectMetrics = (sink) => {
    sink.value('roomwire_http_requests_in_flight', this.inFlight);
    sink.value('roomwire_read_model_waits_expired_total', this.waitsExpired);
    for (const { of, byStatus } of this.routes)
      for (const [status, times] of byStatus)
        sink.distribution('roomwire_http_request_duration_seconds', times, { ...of, status: String(status) });
  };
}

/** Goes on with the caller's trace, if it has one. Names are those of OpenTelemetry's conventions for HTTP. */
export const beginRequest = (
  tracing: Tracing,
  { headers, method = '' }: IncomingMessage,
  { method: counted, route }: MeasuredRoute,
): Span | undefined => {
  const { traceparent } = headers;
  return tracing.begin(`${counted} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: { 'http.request.method': method, 'http.route': route },
  });
};

/** What the caller did wrong is no error of the service. */
export const endRequest = (span: Span, response: ServerResponse): void => {
  const { statusCode } = response;
  span.set({ 'http.response.status_code': statusCode, 'roomwire.request_id': requestIdOf(response) });
  span.end(statusCode >= 500 ? new Error(`The answer was ${statusCode}`) : undefined);
};
