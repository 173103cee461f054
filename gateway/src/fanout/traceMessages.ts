import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { Author } from '../access/client.js';
import type { Deliveries } from './deliverFromBus.js';

// Names follow OpenTelemetry's conventions for messaging. Topics and contents belong to the customer and are not shown.
const destination = { 'messaging.system': 'roomwire', 'messaging.destination.name': liveMessages.name };

/** Spans the time from the frame until the bus acknowledges the message; for QoS 0, until it is sent. */
export const beginPublish = (
  tracing: Tracing,
  { projectId }: Author,
  frame: PublishFrame,
): Span | undefined =>
  tracing.begin('publish', {
    kind: 'producer',
    attributes: {
      ...destination,
      'messaging.operation.type': 'send',
      'messaging.message.body.size': frame.data.length,
      'roomwire.project_id': projectId,
      'roomwire.qos': frame.qos,
    },
  });

/** The delivery of a message on this gateway, if its publish is traced. */
export const beginDelivery = (
  tracing: Tracing,
  name: 'deliver' | 'deliver to group member',
  { traceparent, projectId }: LiveMessage,
): Span | undefined =>
  traceparent === undefined
    ? undefined
    : tracing.begin(name, {
        kind: 'consumer',
        parent: traceparent,
        attributes: {
          ...destination,
          'messaging.operation.type': 'process',
          'roomwire.project_id': projectId,
        },
      });

type Deliver = (record: RoomRecord, offset: number) => Deliveries;

/** The same delivery with a span from the bus to the outboxes; unchanged where nothing is traced. */
export const tracedDelivery = (deliver: Deliver, tracing: Tracing | undefined): Deliver => {
  if (tracing === undefined) return deliver;
  return (record, offset) => {
    const span = isGroupRecord(record) ? undefined : beginDelivery(tracing, 'deliver', record);
    const deliveries = deliver(record, offset);
    if (span === undefined) return deliveries;
    const end = (known: number): void => {
      span.set({ 'roomwire.deliveries': known });
      span.end();
    };
    if (typeof deliveries === 'number') end(deliveries);
    else void deliveries.then(end);
    return deliveries;
  };
};
