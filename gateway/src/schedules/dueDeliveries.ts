import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { BegunDelivery } from '@roomwire/shared/ports/scheduleStore';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { protocolErrors, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { GatewayMetrics } from '../metrics.js';
import type { AuthorDeps } from '../publishing/authors.js';
import { Publisher, type PublishAnswers } from '../publishing/publisher.js';
import type { PublishClaims } from '../publishing/publishClaims.js';
import type { PublishToBus } from '../publishing/publishToBus.js';
import { DueJudge, type DueRights } from './dueRights.js';
import { lostSchedule } from './lostSchedules.js';

export interface DeliverDeps extends AuthorDeps {
  readonly publishToBus: PublishToBus;
  readonly bus: Pick<MessageBus, 'put'>;
  readonly metrics: Pick<GatewayMetrics, 'scheduled'>;
  readonly logger: Logger;
  readonly claims: Pick<PublishClaims, 'sent'>;
}

/** It counted when it was accepted. */
const countedBefore = { end: () => undefined };

/**
 * Makes publishes in their order, and resolves with those that are done: delivered, or dead letters. The others are to be tried
 * again, and those behind one for which an engine was away. Rejects where that was the first.
 */
export const deliverDue = async (
  deps: DeliverDeps,
  deliveries: readonly BegunDelivery[],
): Promise<readonly BegunDelivery[]> => {
  const judge = new DueJudge(deps);
  const outcomes = new Outcomes();
  const publisher = new Publisher(undefined, outcomes);
  const done: BegunDelivery[] = [];
  const underWay: BegunDelivery[] = [];
  let away: EngineUnavailable | undefined;
  for (const delivery of deliveries) {
    try {
      const found = await judge.judge(delivery.publish);
      if ('refused' in found) {
        await reportLost(deps, delivery, found.refused);
        done.push(delivery);
      } else {
        underWay.push(delivery);
        await send(deps, publisher, delivery, found);
      }
    } catch (error) {
      if (error instanceof EngineUnavailable) {
        away = error;
        break;
      }
      // One alone, which must not hold up the others.
      deps.logger.warn('A scheduled publish could not be made; trying again', {
        ...{ scheduledId: delivery.publish.scheduledId, error },
      });
    }
  }
  const accepted = await outcomes.of(underWay);
  deps.metrics.scheduled.delivered += accepted.length;
  if (away !== undefined && done.length + accepted.length === 0) throw away;
  const all = [...done, ...accepted];
  await settleIds(deps, all);
  return all;
};

const send = async (
  { publishToBus }: DeliverDeps,
  publisher: Publisher,
  delivery: BegunDelivery,
  { author, access }: Extract<DueRights, { author: unknown }>,
): Promise<void> => {
  const { messageId } = delivery;
  const frame = frameOf(delivery);
  const admitted = { author, access, frame, usage: countedBefore, claim: undefined, messageId };
  const turn = publishToBus(publisher, admitted);
  if (turn !== undefined) await turn;
};

/**
 * [WS-LATER-5] Before they are gone from the store: whoever accepted one may have been killed before it could say that its id stands for it, and the next
 * publish with the id would be stored anew.
 */
const settleIds = async ({ claims }: DeliverDeps, ended: readonly BegunDelivery[]): Promise<void> => {
  await Promise.all(
    ended.flatMap(({ publish: { claim, deliverAt } }) =>
      claim === undefined ? [] : [claims.sent({ ...claim, deliverAt })],
    ),
  );
};

const reportLost = async (
  { bus, metrics }: DeliverDeps,
  delivery: BegunDelivery,
  refused: ProtocolErrorName,
): Promise<void> => {
  const { error } = protocolErrors[refused];
  await bus.put(webhookReports, { outcome: 'lost', work: lostSchedule(delivery), error, status: 'failed' });
  metrics.scheduled.refused += 1;
};

/** It may come twice, after a crash: of QoS 1 at least, and with an id by which readers recognize the second copy. */
const frameOf = ({ publish, data }: BegunDelivery): PublishFrame => {
  const { scheduledId, topic, filter, filters, retain, qos } = publish;
  return {
    ...{ type: 'publish', topic, data, filter, filters: [...filters], retain, qos: qos === 0 ? 1 : qos },
    ...{ id: publish.id ?? scheduledId, msgRef: scheduledId, deliverAt: undefined },
  };
};

/** By the `scheduledId`. */
class Outcomes implements PublishAnswers {
  readonly areOver = false;
  private readonly accepts = new Map<string, boolean>();
  private missing: (() => void) | undefined;

  counted(): void {
    return undefined;
  }

  accepted: PublishAnswers['accepted'] = ({ msgRef }) => this.is(msgRef, true);

  /** Only because the bus is away. */
  refused: PublishAnswers['refused'] = ({ msgRef }) => this.is(msgRef, false);

  async of(deliveries: readonly BegunDelivery[]): Promise<readonly BegunDelivery[]> {
    while (this.accepts.size < deliveries.length)
      await new Promise<void>((resolve) => (this.missing = resolve));
    return deliveries.filter(({ publish }) => this.accepts.get(publish.scheduledId) === true);
  }

  private is(scheduledId = '', isAccepted: boolean): void {
    this.accepts.set(scheduledId, isAccepted);
    this.missing?.();
  }
}
