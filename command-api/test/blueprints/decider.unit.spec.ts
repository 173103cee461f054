import { expect } from 'chai';
import fc from 'fast-check';
import type { BlueprintDefinition, BlueprintEvent, BlueprintFields } from '@roomwire/shared/domain/blueprint';
import { blueprintDecider, existingVersion, type BlueprintCommand } from '../../src/blueprints/decider.js';
import { Rejection } from '../../src/handling/rejections.js';
import { remade, sentences, testTime } from '../support/deciders.js';

const given = sentences(blueprintDecider);
const ids = { blueprintId: 'b1', organizationId: 'o1' };
const blueprint: BlueprintFields = { ...ids, name: 'Support' };

const definition = (topic: string): BlueprintDefinition => ({
  topics: [topic],
  topicConfigs: {},
  config: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  rooms: [],
  dependencies: null,
  files: null,
  framework: null,
});
const registered: BlueprintEvent = { type: 'BlueprintRegistered', data: blueprint };
const added = (version: string, versions: string[], topic = version): BlueprintEvent => ({
  type: 'BlueprintVersionAdded',
  data: { ...ids, version, definition: definition(topic), versions },
});
const add = (version: string, topic = version, organizationId = 'o1'): BlueprintCommand => ({
  type: 'AddBlueprintVersion',
  blueprintId: 'b1',
  organizationId,
  version,
  definition: definition(topic),
});

describe('a blueprint', () => {
  it('is registered with its first version', () => {
    given()
      .when({ type: 'RegisterBlueprint', blueprint, version: '0.1.0', definition: definition('0.1.0') })
      .then(registered, added('0.1.0', ['0.1.0']));
    given(registered, added('0.1.0', ['0.1.0']))
      .when({ type: 'RegisterBlueprint', blueprint, version: '0.2.0', definition: definition('0.2.0') })
      .thenNothing();
  });

  it('keeps its versions in the order of semver, whatever the order of registration', () => {
    given(registered, added('1.9.0', ['1.9.0']))
      .when(add('1.10.0'))
      .then(added('1.10.0', ['1.9.0', '1.10.0']));
    given(registered, added('1.10.0', ['1.10.0']))
      .when(add('1.9.0'))
      .then(added('1.9.0', ['1.9.0', '1.10.0']));
    given(registered, added('2.0.0', ['2.0.0']))
      .when(add('2.0.0-rc.1'))
      .then(added('2.0.0-rc.1', ['2.0.0-rc.1', '2.0.0']));
  });

  it('has each version once, whatever its build metadata', () => {
    const past = [registered, added('1.0.0', ['1.0.0'])];
    given(...past)
      .when(add('1.0.0', 'other'))
      .thenRejected('blueprint_version_taken', { blueprintId: 'b1', version: '1.0.0' });
    given(...past)
      .when(add('1.0.0+build.7'))
      .thenRejected('blueprint_version_taken');
  });

  it('does not exist for another organization or before its registration', () => {
    given(registered, added('1.0.0', ['1.0.0']))
      .when(add('2.0.0', 'x', 'o2'))
      .thenRejected('blueprint_not_found', { blueprintId: 'b1' });
    given().when(add('2.0.0')).thenRejected('blueprint_not_found', { blueprintId: 'b1' });
  });

  it('has the version that is asked for, or its latest, and no other', () => {
    const past = [registered, added('1.0.0', ['1.0.0']), added('1.1.0', ['1.0.0', '1.1.0'])];
    const { state } = remade(blueprintDecider, past);
    for (const [asked, version] of [
      ['1.0.0', '1.0.0'],
      ['1.0.0+build.7', '1.0.0'],
      [undefined, '1.1.0'],
    ] as const)
      expect(existingVersion(state, { ...ids, version: asked })).to.eql({
        ...{ ...ids, version, definition: definition(version) },
      });
    const missing = (of: typeof state, version: string | undefined) => () =>
      existingVersion(of, { ...ids, version });
    const rejected = (version: string) => ({
      ...{ code: 'blueprint_version_not_found', details: { blueprintId: 'b1', version } },
    });
    expect(missing(state, '2.0.0')).to.throw(Rejection).that.deep.includes(rejected('2.0.0'));
    const none = remade(blueprintDecider, [registered]).state;
    expect(missing(none, undefined)).to.throw(Rejection).that.deep.includes(rejected('latest'));
    expect(none.definitions).to.eql(new Map());
    expect(() => existingVersion(state, { ...ids, organizationId: 'o2', version: '1.0.0' }))
      .to.throw(Rejection)
      .with.property('code', 'blueprint_not_found');
  });

  it('behaves like a map of versions for any commands', () => {
    const version = fc
      .tuple(fc.nat(2), fc.nat(2), fc.constantFrom('', '-rc.1', '-rc.2', '+a', '+b'))
      .map(([major, minor, suffix]) => `${major}.${minor}.0${suffix}`);
    const step = fc.record({ version, organizationId: fc.constantFrom('o1', 'o1', 'o1', 'o2') });

    fc.assert(
      fc.property(version, fc.array(step, { maxLength: 15 }), (first, steps) => {
        const identity = (text: string): string => text.split('+')[0] ?? '';
        const model = new Map([[identity(first), 'first']]);
        let state = evolved(blueprintDecider.initial(), {
          type: 'RegisterBlueprint',
          blueprint,
          version: first,
          definition: definition('first'),
        });
        steps.forEach(({ version: next, organizationId }, index) => {
          const command = add(next, `step${index}`, organizationId);
          if (organizationId !== 'o1' || model.has(identity(next)))
            return void expect(() => blueprintDecider.decide(command, state)).to.throw(Rejection);
          state = evolved(state, command);
          model.set(identity(next), `step${index}`);
        });

        for (const [each, topic] of model)
          expect(existingVersion(state, { ...ids, version: each }).definition).to.eql(definition(topic));
        expect(state.blueprint?.versions.map(identity)).to.have.members([...model.keys()]);
        // Within these versions the text with a release made greater than its prereleases is the order.
        const latest = [...model.keys()].sort((a, b) => (sortable(a) < sortable(b) ? -1 : 1)).at(-1);
        expect(identity(existingVersion(state, { ...ids, version: undefined }).version)).to.equal(latest);
      }),
      { seed: 23, numRuns: 500 },
    );
  });
});

const sortable = (version: string): string => (version.includes('-') ? version : `${version}~`);

const evolved = (
  state: ReturnType<typeof blueprintDecider.initial>,
  command: BlueprintCommand,
): ReturnType<typeof blueprintDecider.initial> =>
  blueprintDecider
    .decide(command, state)
    .reduce((folded, event) => blueprintDecider.evolve(folded, { ...event, occurredAt: testTime }), state);
