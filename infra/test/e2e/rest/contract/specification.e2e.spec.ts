import { STATUS_CODES } from 'node:http';
import { expect } from 'chai';
import {
  expectApplicationError,
  expectFrameworkError,
  expectValidationError,
} from '../../../support/shapes.js';
import { provocations, type Provocation, type Provoked } from './provocations.js';
import { specifiedMessages, specifiedRefusals } from './specification.js';
import { openWorld, type World } from './world.js';

/** Not worded by the specification. */
const ownMessages = ['App <id> was not created from a blueprint'];

const filled = (message: string, values: Provoked['values'] = []): string => {
  const rest = [...values];
  return message.replace(/<\w+>/g, () => String(rest.shift()));
};

const expectProvoked = ({ shows, shape, message }: Provocation, { answer, values }: Provoked): void => {
  const status = Number(shows.slice(0, 3));
  const quoted = filled(message, values);
  // Of this one the specification gives no more than the setting's name.
  const exact = message === 'config.autoProvisionRooms=true' ? String(answer.body.message) : quoted;
  expect(exact).to.include(quoted);
  if (shape === 'application') expectApplicationError(answer, status, exact);
  else if (shape === 'framework') expectFrameworkError(answer, status, exact, STATUS_CODES[status] ?? '');
  else expectValidationError(answer, ...(answer.body.errors as { path: string }[]).map(({ path }) => path));
};

describe('REST specification: refusals', () => {
  let world: World;

  before(async () => void (world = await openWorld()));
  after(() => world.close());

  it('have a test for every status in the specification', () => {
    expect(specifiedRefusals).to.have.length(21);
    expect([...new Set(provocations.map(({ shows }) => shows))]).to.have.members([...specifiedRefusals]);
  });

  it('have a test for every message', () => {
    expect(specifiedMessages).to.have.length(24);
    const provoked = [...new Set(provocations.map(({ message }) => message))];
    expect(provoked).to.have.members([...specifiedMessages, ...ownMessages]);
  });

  for (const each of provocations)
    it(`${each.shows}: ${each.message}`, async function () {
      this.timeout(60_000);
      expectProvoked(each, await each.provoke(world));
    });
});
