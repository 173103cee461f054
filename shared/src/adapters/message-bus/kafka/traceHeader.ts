import { Buffer } from 'node:buffer';
import type { IHeaders } from 'kafkajs';

/** As OpenTelemetry and others have it, on Kafka as in HTTP. */
const header = 'traceparent';

/** Of version 00, which is what is written here, with the lengths of name and value. */
export const traceHeaderBytes = header.length + 55 + 4;

export const traceHeaders = (traceparent: string): IHeaders => ({ [header]: Buffer.from(traceparent) });

/** Undefined where there is none. */
export const traceparentOf = (headers: IHeaders | undefined): string | undefined => {
  const value = headers?.[header];
  return Buffer.isBuffer(value) ? value.toString('latin1') : undefined;
};
