import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import { Distribution, secondsBounds } from '@roomwire/shared/runtime/distribution';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import { requestIdOf } from './request.js';

/** The labels of a route: its path is the template in the table of routes, never a path that was sent. */
export interface MeasuredRoute {
  readonly method: string;
  readonly route: string;
}

/** The times of one route, by the status of the answer. */
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

/** Counts the requests to the routes of this process. */
export class RequestMetrics {
  inFlight = 0;
  /** Writes that were answered before the read models showed them. */
  waitsExpired = 0;
  /** Commands that were refused because of an event of a newer version. */
  unknownEvents = 0;
  /** Messages that were published over HTTP. */
  readonly publishes = { accepted: 0, duplicate: 0, refused: 0 };
  private readonly routes: RouteTimes[] = [];

  timesOf(route: MeasuredRoute): RouteTimes {
    const times = new RouteTimes(route);
    this.routes.push(times);
    return times;
  }

  readonly collect: CollectMetrics = (sink) => {
    sink.value('roomwire_http_requests_in_flight', this.inFlight);
    sink.value('roomwire_read_model_waits_expired_total', this.waitsExpired);
    sink.value('roomwire_commands_on_unknown_events_total', this.unknownEvents);
    for (const [outcome, messages] of Object.entries(this.publishes))
      sink.value('roomwire_http_publishes_total', messages, { outcome });
    for (const { of, byStatus } of this.routes)
      for (const [status, times] of byStatus)
        sink.distribution('roomwire_http_request_duration_seconds', times, { ...of, status: String(status) });
  };
}

/** Continues the caller's trace, if there is one. Names follow OpenTelemetry's conventions for HTTP. */
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

/** An error of the caller is not an error of the service. */
export const endRequest = (span: Span, response: ServerResponse): void => {
  const { statusCode } = response;
  span.set({ 'http.response.status_code': statusCode, 'roomwire.request_id': requestIdOf(response) });
  span.end(statusCode >= 500 ? new Error(`The answer was ${statusCode}`) : undefined);
};
