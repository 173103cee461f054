import {
  blueprintStream,
  evolveBlueprint,
  type Blueprint,
  type BlueprintDefinition,
  type BlueprintEvent,
  type BlueprintFields,
  type BlueprintVersion,
} from '@roomwire/shared/domain/blueprint';
import { inPlace } from '../handling/edits.js';
import { targetOf, type Decider } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';
import { compareVersions } from './version.js';

export type BlueprintCommand =
  /** With its first version. */
  | {
      readonly type: 'RegisterBlueprint';
      readonly blueprint: BlueprintFields;
      readonly version: string;
      readonly definition: BlueprintDefinition;
    }
  | ({ readonly type: 'AddBlueprintVersion' } & BlueprintVersion);

interface ExistingBlueprint {
  readonly blueprintId: string;
  readonly organizationId: string;
}

export interface BlueprintState {
  readonly blueprint: Blueprint | undefined;
  /** By version. */
  readonly definitions: Map<string, BlueprintDefinition>;
}

export const blueprintDecider: Decider<BlueprintState, BlueprintCommand, BlueprintEvent> = {
  initial: () => ({ blueprint: undefined, definitions: new Map() }),

  evolve({ blueprint, definitions }, event, edits = inPlace) {
    if (event.type === 'BlueprintVersionAdded')
      edits.put(definitions, event.data.version, event.data.definition);
    return { blueprint: evolveBlueprint(blueprint, event), definitions };
  },

  decide(command, state) {
    switch (command.type) {
      case 'RegisterBlueprint': {
        if (state.blueprint) return [];
        const { blueprint, version, definition } = command;
        const { blueprintId, organizationId } = blueprint;
        const added = { blueprintId, organizationId, version, definition, versions: [version] };
        return [
          { type: 'BlueprintRegistered', data: blueprint },
          { type: 'BlueprintVersionAdded', data: added },
        ];
      }
      case 'AddBlueprintVersion': {
        const { blueprintId, organizationId, version, definition } = command;
        const { versions } = existing(state, command);
        if (sameVersion(versions, version) !== undefined)
          throw new Rejection('blueprint_version_taken', { blueprintId, version });
        const sorted = [...versions, version].sort(compareVersions);
        const added = { blueprintId, organizationId, version, definition, versions: sorted };
        return [{ type: 'BlueprintVersionAdded', data: added }];
      }
    }
  },
};

export const blueprintTarget = targetOf(blueprintStream, blueprintDecider);

/** A blueprint of another organization does not exist. */
export const existing = (
  { blueprint }: BlueprintState,
  { blueprintId, organizationId }: ExistingBlueprint,
): Blueprint => {
  if (blueprint?.organizationId !== organizationId)
    throw new Rejection('blueprint_not_found', { blueprintId });
  return blueprint;
};

/** The given version of a blueprint, or its latest. */
export const existingVersion = (
  state: BlueprintState,
  asked: ExistingBlueprint & { readonly version: string | undefined },
): BlueprintVersion => {
  const { blueprintId, organizationId } = asked;
  const { versions } = existing(state, asked);
  const version = asked.version === undefined ? versions.at(-1) : sameVersion(versions, asked.version);
  const definition = state.definitions.get(version ?? '');
  if (version === undefined || definition === undefined)
    throw new Rejection('blueprint_version_not_found', { blueprintId, version: asked.version ?? 'latest' });
  return { blueprintId, organizationId, version, definition };
};

/** Versions that differ by their build metadata alone are one version: neither of them would be the latest. */
const sameVersion = (versions: readonly string[], version: string): string | undefined =>
  versions.find((each) => compareVersions(each, version) === 0);
