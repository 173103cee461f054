import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { MeasuredRoute } from './requestMetrics.js';
import { requestIdOf } from './requestId.js';

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
