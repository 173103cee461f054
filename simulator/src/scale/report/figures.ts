import { defaultOptions } from '@roomwire/gateway/options';
import type { Measured, ObservedGateway } from '../measure/measured.js';
import { behaviour, perGateway } from '../model/load.js';

/** What is shown of a cluster. Unless the name says otherwise: by gateway and second. */
export interface Figure {
  readonly name: string;
  readonly of: (cluster: Measured) => number;
  /** Of the file with its chart; undefined for none. */
  readonly chart?: string;
}

type Of = (gateway: ObservedGateway) => number;

const sum = (cluster: Measured, of: Of): number =>
  cluster.observed.reduce((before, each) => before + of(each), 0);

/** Of what is the same for all gateways. */
const average = (cluster: Measured, of: Of): number => sum(cluster, of) / cluster.observed.length;

/** Of what follows from the connections that a gateway has: for as many as one has on average. */
const byLoad = (cluster: Measured, of: Of): number =>
  (sum(cluster, of) / sum(cluster, ({ connections }) => connections)) * perGateway.connections;

const records =
  (name: string): Of =>
  ({ tally }) =>
    tally.of(name).records;
const megabytes =
  (...names: readonly string[]): Of =>
  ({ tally }) =>
    names.reduce((before, name) => before + tally.of(name).bytes, 0) / 1e6;

const fetched = ['messages', 'group commands', 'retained', 'job news'] as const;
const beatSeconds = defaultOptions.beatMs / 1_000;
const mebibyte = 2 ** 20;

/** Of all gateways, which each of them reads. */
const leaseStatements = ({ connects, spread, chatter }: Measured, of: 'records' | 'bytes'): number =>
  connects *
  (spread.aloneShare * chatter.leases.first[of] + (1 - spread.aloneShare) * chatter.leases.replaced[of]);

const beatMegabytes = (cluster: Measured): number =>
  (cluster.chatter.beats.records * byLoad(cluster, ({ beatBytes }) => beatBytes)) / 1e6;

const nobodyShare = ({ spread, size }: Measured): number => 1 - spread.gatewaysOfRoom / size.gateways;

const presences = (cluster: Measured): number =>
  byLoad(cluster, ({ account }) => account.presences) * cluster.size.gateways;

const readMegabytes = (cluster: Measured): number =>
  average(cluster, megabytes(...fetched)) +
  (cluster.chatter.presence.bytes + leaseStatements(cluster, 'bytes')) / 1e6 +
  average(cluster, ({ revalidation }) => revalidation.events.bytes) / 1e6 +
  beatMegabytes(cluster);

/** What gateways write together is what is published on the channels, each record of which is stored once. */
const written = (cluster: Measured): number => {
  const { estate, chatter, size } = cluster;
  const published = estate.connections * behaviour.messageRate;
  const { retained, groupCommands } = {
    retained: records('retained'),
    groupCommands: records('group commands'),
  };
  const jobs = (2 * published) / behaviour.jobRoomEvery;
  const beside = average(cluster, retained) + average(cluster, groupCommands) + jobs;
  const said = chatter.presence.records + chatter.beats.records + leaseStatements(cluster, 'records');
  return (published + beside + said) / size.gateways;
};

export const figures: readonly Figure[] = [
  { name: '`messages`: messages read', of: (cluster) => average(cluster, records('messages')) },
  {
    name: '… decoded',
    of: (cluster) => byLoad(cluster, records('messages decoded')),
    chart: 'decoded',
  },
  { name: '… of them for nobody here', of: (cluster) => byLoad(cluster, records('messages for nobody')) },
  { name: '`messages`: group commands read', of: (cluster) => average(cluster, records('group commands')) },
  { name: '… decoded', of: (cluster) => byLoad(cluster, records('group commands decoded')) },
  { name: '`retained` read', of: (cluster) => average(cluster, records('retained')) },
  { name: '`jobs` read', of: (cluster) => average(cluster, records('job news')) },
  { name: '… for this gateway', of: (cluster) => average(cluster, records('jobs decoded')) },
  { name: '`presence` read', of: ({ chatter }) => chatter.presence.records },
  {
    name: '… of rooms with nobody here',
    of: (cluster) => cluster.chatter.presence.records * nobodyShare(cluster),
  },
  { name: '`gateways`: beats read', of: ({ chatter }) => chatter.beats.records },
  { name: '… their MB, which are connection counts', of: beatMegabytes },
  {
    name: '`gateways`: lease statements read',
    of: (cluster) => leaseStatements(cluster, 'records'),
    chart: 'leases',
  },
  {
    name: '`domain-events` read',
    of: (cluster) => average(cluster, ({ revalidation }) => revalidation.events.records),
  },
  { name: 'MB read of all of these', of: readMegabytes, chart: 'read' },
  { name: 'records written', of: written },
  {
    name: 'usage counts written to the store',
    of: (cluster) => byLoad(cluster, ({ usage }) => usage.written),
  },
  { name: 'usage counts read from it', of: (cluster) => byLoad(cluster, ({ usage }) => usage.read) },
  {
    name: 'connection counts written to it',
    of: (cluster) => byLoad(cluster, ({ projects }) => projects) / beatSeconds,
  },
  {
    name: 'documents read for revalidation',
    of: (cluster) => byLoad(cluster, ({ revalidation }) => revalidation.reads),
  },
  {
    name: '… extents read, for the proof that nothing was missed',
    of: (cluster) => average(cluster, ({ revalidation }) => revalidation.extents),
  },
  {
    name: 'documents read in the ten minutes after a lost event, in all',
    of: (cluster) => byLoad(cluster, ({ revalidation }) => revalidation.readsAfterLoss),
  },
  {
    name: 'counts of others looked at for connection limits',
    of: (cluster) => (byLoad(cluster, ({ projects }) => projects) * cluster.size.gateways) / beatSeconds,
  },
  {
    name: 'MiB of presences in memory, in all',
    of: (cluster) =>
      (presences(cluster) * average(cluster, ({ account }) => account.bytesPerPresence)) / mebibyte,
    chart: 'presences',
  },
  {
    name: 'records read when one gateway starts, in all',
    of: (cluster) => byLoad(cluster, ({ account }) => account.sent.records) * cluster.size.gateways,
  },
  {
    name: 'connections of the fullest gateway',
    of: ({ spread }) => Math.max(...spread.loads),
  },
];
