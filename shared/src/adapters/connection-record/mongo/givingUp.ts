import type { RunningGateway } from '../../../ports/connectionRecord.js';
import { readLimits } from '../../mongo/connection.js';
import { lostEnd } from '../connectionFold.js';
import { lostGateway } from '../gatewayFold.js';
import { changeConnections, reopenConnections, type RecordCollections } from './recordCollections.js';

/** See `ConnectionRecord`. Others may write meanwhile, also for the same gateways. */
export const giveUp = async (
  collections: RecordCollections,
  silent: readonly RunningGateway[],
  now: number,
): Promise<readonly string[]> => {
  const given = await endGateways(collections, silent, now);
  await endLost(collections);
  await reopenLiving(collections);
  return given;
};

export const runningGateways = async ({
  gateways,
}: Pick<RecordCollections, 'gateways'>): Promise<readonly RunningGateway[]> => {
  const running = await gateways.find({ end: null }, readLimits()).toArray();
  return running.map(({ gateway, number }) => ({ gateway, number }));
};

const endGateways = async (
  { gateways }: RecordCollections,
  silent: readonly RunningGateway[],
  now: number,
): Promise<readonly string[]> => {
  const given: string[] = [];
  for (const { gateway, number } of silent) {
    // Unless it has written again.
    const asSeen = { _id: gateway, number, end: null };
    const known = await gateways.findOne(asSeen, readLimits());
    if (known === null) continue;
    const { modifiedCount } = await gateways.replaceOne(asSeen, lostGateway(known, now));
    if (modifiedCount > 0) given.push(gateway);
  }
  return given;
};

/** Also connections that a process which has ended did not come to. */
const endLost = async (collections: RecordCollections): Promise<void> => {
  const { gateways } = collections;
  const lost = await gateways.find({ end: 'lost' }, readLimits()).toArray();
  for (const { _id, gateway, number, knownUpTo, endedBy } of lost) {
    const isStillLost = async (): Promise<boolean> =>
      (await gateways.findOne({ _id, number, end: 'lost' }, readLimits())) !== null;
    await changeConnections(
      collections,
      { gateway, state: 'open' },
      (known) => ({ ...known, closed: lostEnd(knownUpTo, endedBy ?? knownUpTo) }),
      isStillLost,
    );
  }
};

/** Of gateways that came back while their connections were being ended. */
const reopenLiving = async (collections: RecordCollections): Promise<void> => {
  const living = await runningGateways(collections);
  await reopenConnections(
    collections,
    living.map(({ gateway }) => gateway),
  );
};
