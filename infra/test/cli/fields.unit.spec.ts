import { Command } from 'commander';
import { expect } from 'chai';
import { createActorSchema } from '@roomwire/command-api/actors/resource';
import { createAppSchema } from '@roomwire/command-api/apps/resource';
import type { JsonSchema } from '@roomwire/command-api/http/schema';
import { createRoomSchema } from '@roomwire/command-api/rooms/resource';
import { addFieldOptions, bodyOf } from '../../src/cli/resources/fields.js';
import { resources } from '../../src/cli/resources/resourceTable.js';

const commandOf = (schema: JsonSchema): Command =>
  addFieldOptions(new Command(), schema)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });

const read = (schema: JsonSchema, ...args: readonly string[]) =>
  bodyOf(commandOf(schema).parse(args, { from: 'user' }), schema);

describe('the options for the fields of a record', () => {
  it('are texts, lists, flags and JSON, as the API has them', () => {
    expect(
      read(
        createRoomSchema,
        ...['--name', 'Lobby', '--topics', 'chat,typing', '--topics', 'cursor'],
        ...['--enable-web-rtc', 'true', '--metadata', '{"floor":1}'],
      ),
    ).to.eql({
      name: 'Lobby',
      topics: ['chat', 'typing', 'cursor'],
      enableWebRTC: true,
      metadata: { floor: 1 },
    });
  });

  it('take away what may be taken away, by null', () => {
    expect(read(createActorSchema, '--expires-at', 'null', '--metadata', 'null', '--name', 'null')).to.eql({
      ...{ expiresAt: null, metadata: null, name: 'null' },
    });
  });

  it('go over the fields of a body', () => {
    expect(read(createAppSchema, '--body', '{"name":"one","topics":["a"]}', '--name', 'two')).to.eql({
      ...{ name: 'two', topics: ['a'] },
    });
  });

  it('are refused where they are none of their kind', () => {
    for (const args of [
      ['--enable-web-rtc', 'yes'],
      ['--metadata', '{'],
      ['--body', 'x'],
      ['--nope', '1'],
    ])
      expect(() => read(createRoomSchema, ...args), args.join(' ')).to.throw();
  });

  it('are there for every field of every record, and collide with none of the command', () => {
    const taken = [
      '--url',
      '--api-url',
      '--profile',
      '--api-key',
      '--session',
      '--org',
      '--project',
      '--json',
    ];
    const others = [...taken, '--yes', '--print', '--output', '--help', '--body'];
    for (const { name, create, update = {} } of resources)
      for (const schema of [create, update]) {
        const flags = commandOf(schema).options.map(({ long }) => long);
        const fields = Object.keys((schema['properties'] ?? {}));
        expect(flags, name).to.have.length(fields.length + 1);
        expect(
          flags.filter((flag) => flag !== '--body' && others.includes(flag as string)),
          name,
        ).to.eql([]);
      }
  });
});
