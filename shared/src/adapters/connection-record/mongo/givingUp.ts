import { readLimits } from '../../mongo/connection.js';
import { lostEnd } from '../connectionFold.js';
import type { FoldedGateway } from '../gatewayFold.js';
import { changeConnections, reopenConnections, type RecordCollections } from './recordCollections.js';

/** See `ConnectionRecord`. Others may write meanwhile, also for the same gateways. */
export const giveUpSilent = async (
  collections: RecordCollections,
  since: number,
  now: number,
): Promise<readonly string[]> => {
  const given = await endGateways(collections, since, now);
  await endLost(collections);
  await reopenLiving(collections);
  return given;
};

const endGateways = async (
  { gateways }: RecordCollections,
  since: number,
  now: number,
): Promise<readonly string[]> => {
  const given: string[] = [];
  const silent = await gateways.find({ end: null, knownUpTo: { $lt: since } }, readLimits()).toArray();
  for (const { _id, ...known } of silent) {
    const lost: FoldedGateway = { ...known, end: 'lost', endedBy: now };
    // Unless it has written again.
    const { modifiedCount } = await gateways.replaceOne({ _id, number: known.number }, lost);
    if (modifiedCount > 0) given.push(_id);
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
  const living = await collections.gateways.find({ end: null }, readLimits()).toArray();
  await reopenConnections(
    collections,
    living.map(({ gateway }) => gateway),
  );
};
