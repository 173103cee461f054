import type { Handler } from './handler.js';

/** [WS-ACK-1] There is no answer. */
export const ack: Handler<'ack'> = (session, { msgId }, { metrics }) => {
  metrics.acks++;
  session.outstanding?.acked(msgId);
};

/** [WS-ACK-2] */
export const batchAck: Handler<'batchAck'> = (session, { msgIds }, { metrics }) => {
  metrics.acks += msgIds.length;
  if (session.outstanding === undefined) return;
  for (const msgId of msgIds) session.outstanding.acked(msgId);
};
