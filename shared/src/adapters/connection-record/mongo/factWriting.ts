import type { AnyBulkWriteOperation } from 'mongodb';
import type { FactBatch } from '../../../wire/bus/connectionFacts.js';
import { findAll, upsertAll } from '../../mongo/collections.js';
import { isDuplicateKey } from '../../mongo/errors.js';
import { foldFact, placedFacts, roomsOf, unrecordedEnd, type FoldedConnection } from '../connectionFold.js';
import { foldBatch, type FoldedGateway, type UnsettledGap } from '../gatewayFold.js';
import {
  connectionDocument,
  factDocument,
  roomDocument,
  type ConnectionDocument,
  type FactDocument,
  type GatewayDocument,
  type RoomDocument,
} from './connectionDocuments.js';
import {
  changeConnections,
  loadConnections,
  reopenConnections,
  type RecordCollections,
} from './recordCollections.js';

/** A gateway as it is on record and as it will be. */
interface WrittenGateway {
  readonly known: GatewayDocument | undefined;
  readonly folded: FoldedGateway;
}

/** Batches that are written with one request for each collection. */
interface Round {
  readonly gateways: Map<string, WrittenGateway>;
  /** Those that are not there yet. */
  readonly batches: FactBatch[];
  /** Gateways that were taken for lost, and are not. */
  readonly back: string[];
  readonly ended: Map<string, UnsettledGap>;
  /** Those behind a batch that ends connections of the same gateway. */
  readonly rest: readonly FactBatch[];
}

/** Writes the next of the batches; resolves with those that are still to be written, which may be the same ones. */
export const writeBatches = async (
  collections: RecordCollections,
  batches: readonly FactBatch[],
): Promise<readonly FactBatch[]> => {
  const ids = [...new Set(batches.map(({ gateway }) => gateway))];
  const known = new Map<string, GatewayDocument>();
  for await (const each of findAll(collections.gateways, ids)) known.set(each.gateway, each);
  const round = roundOf(batches, known);
  await writeFacts(collections, round.batches);
  await endUntold(collections, round.ended);
  // The gateways behind it: until then the batches are not there, and are written again.
  if (!(await writeGateways(collections, round.gateways))) return batches;
  // Not before: whoever gives up a gateway stops where it finds that it is back. What is left undone here, the next look for lost gateways does.
  await reopenConnections(collections, round.back);
  return round.rest;
};

const roundOf = (batches: readonly FactBatch[], known: ReadonlyMap<string, GatewayDocument>): Round => {
  const round = {
    gateways: new Map<string, WrittenGateway>(),
    batches: [] as FactBatch[],
    back: [] as string[],
    ended: new Map<string, UnsettledGap>(),
  };
  for (const [index, batch] of batches.entries()) {
    const { gateway } = batch;
    if (round.ended.has(gateway)) return { ...round, rest: batches.slice(index) };
    const before = known.get(gateway);
    const folded = foldBatch(round.gateways.get(gateway)?.folded ?? before, batch);
    if (folded === undefined) continue;
    round.gateways.set(gateway, { known: before, folded: folded.gateway });
    round.batches.push(batch);
    if (folded.isBack) round.back.push(gateway);
    if (folded.ended !== undefined) round.ended.set(gateway, folded.ended);
  }
  return { ...round, rest: [] };
};

const writeFacts = async (collections: RecordCollections, batches: readonly FactBatch[]): Promise<void> => {
  const placed = batches.flatMap((batch) =>
    placedFacts(batch).map((each) => ({ ...each, gateway: batch.gateway })),
  );
  if (placed.length === 0) return;
  const ids = [...new Set(placed.map(({ fact }) => fact.connection))];
  const loaded = await loadConnections(collections, ids);
  const before = new Map(loaded.map((connection) => [connection.connectionId, connection]));
  const after = new Map<string, ConnectionDocument>();
  const [rooms, facts] = [new Map<string, RoomDocument>(), [] as FactDocument[]];
  for (const each of placed) {
    const { connection, at } = each.fact;
    const former = after.get(connection)?.connection ?? before.get(connection);
    const isFolded = former !== undefined && former.last >= each.place;
    const folded = isFolded ? former : foldFact(former, each, each.gateway);
    if (folded === undefined) continue;
    if (!isFolded) after.set(connection, connectionDocument(folded, at));
    facts.push(factDocument(folded.projectId, each));
    for (const room of roomsOf(each)) {
      const listed = roomDocument(folded, room);
      rooms.set(listed._id, listed);
    }
  }
  // The facts first: a connection that has them all is not folded again.
  await upsertAll(collections.facts, facts.map(replacing));
  await upsertAll(collections.rooms, [...rooms.values()].map(replacing));
  const changes = [...after.values()].map((document) => changing(document, before.get(document._id)));
  await upsertAll(collections.connections, changes);
};

/** Connections whose end was not told, where their gateway says which of them are open; also those of a gateway that is back. */
const endUntold = async (
  collections: RecordCollections,
  ended: ReadonlyMap<string, UnsettledGap>,
): Promise<void> => {
  if (ended.size === 0) return;
  const untold = [...ended].map(([gateway, { place }]) => ({ gateway, last: { $lt: place } }));
  await changeConnections(collections, { state: { $in: ['open', 'lost'] }, $or: untold }, (known) => {
    const { from, to } = ended.get(known.gateway) as UnsettledGap;
    return { ...known, closed: unrecordedEnd(from, to) };
  });
};

/** Resolves with false where another process has written one of them meanwhile. */
const writeGateways = async (
  { gateways }: RecordCollections,
  written: ReadonlyMap<string, WrittenGateway>,
): Promise<boolean> => {
  if (written.size === 0) return true;
  const operations = [...written].map(([_id, { known, folded }]): AnyBulkWriteOperation<GatewayDocument> => {
    if (known === undefined) return { insertOne: { document: { _id, ...folded } } };
    return { replaceOne: { filter: { _id, number: known.number }, replacement: folded } };
  });
  try {
    const { insertedCount, matchedCount } = await gateways.bulkWrite(operations, { ordered: false });
    return insertedCount + matchedCount === operations.length;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};

const replacing = <T extends FactDocument | RoomDocument>(document: T) =>
  ({
    replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
  }) as unknown as AnyBulkWriteOperation<T>;

/** Unless another one has written it meanwhile. */
const changing = (
  document: ConnectionDocument,
  before: FoldedConnection | undefined,
): AnyBulkWriteOperation<ConnectionDocument> => {
  const { _id } = document;
  if (before !== undefined)
    return { replaceOne: { filter: { _id, last: before.last }, replacement: document } };
  return { updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } };
};
