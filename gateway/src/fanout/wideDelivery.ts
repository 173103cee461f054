import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Audience } from './audience.js';
import { deliverToHolding, type Matching } from './deliverAtOnce.js';
import { Line } from './line.js';
import type { LineMemory } from './lineMemory.js';
import { MessageFrames } from './messageFrames.js';
import type { Subscriber } from './subscriber.js';
import { WideMessage } from './wideMessage.js';

/** When a message waits in the line of its audience. */
export interface WideBounds {
  /** Subscribers that may be given it in one turn of the event loop. */
  readonly atOnce: number;
  readonly stepsInATurn?: number;
}

export const usualBounds: WideBounds = { atOnce: 1_000 };

interface WideDeliveryDeps {
  readonly memory: LineMemory;
  readonly bounds: WideBounds;
  readonly delivered: (projectId: string, deliveries: number) => void;
}

/** Whether a message is for too many, or behind one that was. */
export const isWide = (
  { plain, asking, line }: Audience,
  matching: Matching,
  { atOnce }: WideBounds,
): boolean =>
  line?.isBusy === true ||
  plain.unfiltered.length + matching.plain.length + asking.unfiltered.length + matching.asking.length >
    atOnce;

/**
 * Delivers in later turns of the event loop, in the order of the calls. Those that hold their messages get it at once, since that writes
 * to no socket. Resolves with the number of deliveries when there are no more.
 */
export const createWideDelivery = ({ memory, bounds, delivered }: WideDeliveryDeps) => {
  const openLine = (audience: Audience): Line<Subscriber, WideMessage> =>
    new Line({
      ...{ memory, stepsInATurn: bounds.stepsInATurn },
      projectId: audience.projectId,
      receivers: (messages) => audience.receivers(messages),
      give: (subscriber, message) => message.deliverTo(subscriber),
      sizeOf: ({ bytes }) => bytes,
      given: (deliveries) => delivered(audience.projectId, deliveries),
      ended: (message) => message.onEnded(message.deliveries),
    });

  return (message: LiveMessage, audience: Audience, matching: Matching): Promise<number> => {
    const frames = new MessageFrames(message);
    const held = deliverToHolding(message, audience, frames);
    delivered(audience.projectId, held);
    audience.line ??= openLine(audience);
    const { line } = audience;
    return new Promise((resolve) => {
      const onEnded = (deliveries: number): void => resolve(held + deliveries);
      line.add(
        new WideMessage({ message, frames, matching: [...matching.plain, ...matching.asking], onEnded }),
      );
    });
  };
};
