import { expect } from 'chai';
import { matchesFilters, filterError } from '../../src/policy/filters.js';

type Entries = (string | string[])[];

describe('the filters of a subscription', () => {
  const sound: Record<string, Entries> = {
    none: [],
    values: ['eu', 'a b', 'ü', '*'],
    'an AND-group': [['eu', 'urgent']],
    'a hundred': Array<string>(100).fill('x'),
  };
  for (const [what, entries] of Object.entries(sound)) {
    it(`[WS-FILTER-1] may be ${what}`, () => {
      expect(filterError(entries)).to.equal(undefined);
    });
  }

  const unsound: Record<string, Entries> = {
    'an empty value': [''],
    'a slash': ['a/b'],
    'a hash': ['a#'],
    'a plus': ['+'],
    'a pipe': ['a|b'],
    'an AND-group of one': [['eu']],
    'an AND-group of none': [[]],
    'an empty value in an AND-group': [['eu', '']],
    'a forbidden character in an AND-group': [['eu', 'a/b']],
  };
  for (const [what, entries] of Object.entries(unsound)) {
    it(`[WS-FILTER-1] may not have ${what}`, () => {
      expect(filterError(['fine', ...entries])).to.equal('invalidFilterChars');
    });
  }

  it('[WS-FILTER-1] may not be more than a hundred, nor may an AND-group', () => {
    expect(filterError(Array<string>(101).fill('x'))).to.equal('tooManyFilters');
    expect(filterError([Array<string>(101).fill('x')])).to.equal('tooManyFilters');
  });

  it('[WS-FILTER-1] hold at most a thousand values together', () => {
    const groups = Array<string[]>(10).fill(Array<string>(100).fill('x'));
    expect(filterError(groups)).to.equal(undefined);
    expect(filterError([...groups, 'x'])).to.equal('tooManyFilters');
  });
});

describe('a message and the filters of a subscription', () => {
  const filters = ['eu', ['us', 'urgent']];
  const cases: [string[], boolean][] = [
    [[], false],
    [['eu'], true],
    [['asia', 'eu'], true],
    [['us'], false],
    [['urgent'], false],
    [['urgent', 'us'], true],
    [['urgent', 'other', 'us'], true],
    [['EU'], false],
  ];
  for (const [onMessage, matches] of cases) {
    it(`[WS-FILTER-3] [${onMessage.join(', ')}] ${matches ? 'matches' : 'does not match'} eu or (us and urgent)`, () => {
      expect(matchesFilters(filters, new Set(onMessage))).to.equal(matches);
    });
  }
});
