/** Files that are mutated together, and the specs that must notice it. */
export interface Target {
  /** As on the command line. */
  readonly name: string;
  /** The folder of the package. */
  readonly packageFolder: string;
  /** Below `src` of the package, without the extension; `*` is anything but a slash. */
  readonly files: string;
  /** Below `test` of the package, without `.unit.spec`; `*` too. Those that are quick come first. */
  readonly specs: readonly string[];
}

const target = (packageFolder: string, files: string, ...specs: readonly string[]): Target => ({
  name: `${packageFolder}/${files}`,
  ...{ packageFolder, files, specs: specs.length === 0 ? [files] : specs },
});

/** Where a mistake would cost most: what must lose nothing, repeat nothing and admit nobody. Specs are those of the same name unless told. */
export const targets: readonly Target[] = [
  target('projections', 'checkpointedFollower'),
  target('projections', 'filledFeed'),
  target('projections', 'feed', 'redrivenCalls', 'feed'),
  target('projections', 'versionKeeper'),
  target('projections', 'gatheredBatches'),
  target('projections', 'cascades'),
  target('projections', 'origins'),
  target('projections', 'projectionLag'),
  target('projections', 'followLog', 'traceEvents', 'followLog'),
  target('webhook-consumer', 'consume/settlement'),
  target('webhook-consumer', 'policy/nextStep'),
  target('command-api', 'actors/decider'),
  target('command-api', 'api-keys/decider'),
  target('command-api', 'apps/decider'),
  target('command-api', 'blueprints/decider'),
  target('command-api', 'dead-letters/decider'),
  target('command-api', 'organizations/decider'),
  target('command-api', 'projects/decider'),
  target('command-api', 'rooms/decider', 'rooms/decider', 'rooms/grants', 'rooms/staticRooms'),
  target('command-api', 'scopes/decider'),
  target('command-api', 'session-revocations/decider'),
  target('command-api', 'signing-keys/decider'),
  target('command-api', 'webhook-secrets/decider'),
  target('shared', 'domain/*'),
  target('gateway', 'policy/*'),
  target('gateway', 'limits/allowance'),
  target('gateway', 'limits/lease', 'limits/lease', 'limits/leases'),
  target('gateway', 'groups/machine/localMembers'),
  target('gateway', 'groups/machine/messageMemory', 'groups/machine/recordBuffer'),
  target('gateway', 'groups/machine/recordBuffer'),
  target('gateway', 'groups/machine/absence'),
  target('gateway', 'groups/machine/otherGateways'),
  target('gateway', 'groups/machine/snapshot'),
  target('gateway', 'groups/machine/members', 'groups/machine/members', 'groups/groupState'),
  target('gateway', 'groups/machine/groupState', 'groups/machine/openMessages', 'groups/groupState'),
  target('gateway', 'groups/machine/replica'),
  target('gateway', 'groups/machine/groupMachine', 'groups/machine/groupMachine', 'groups/groupMachine'),
];
