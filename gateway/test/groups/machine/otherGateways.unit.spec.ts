import { expect } from 'chai';
import { OtherGateways } from '../../../src/groups/machine/otherGateways.js';

describe('the other gateways that take part in a worker group', () => {
  let others: OtherGateways;

  beforeEach(() => {
    others = new OtherGateways();
  });

  it('may have its state from the beginning until the last of them has gone', () => {
    expect(others.mayHaveState).to.equal(false);
    others.begin([]);
    expect(others.mayHaveState).to.equal(false);
    others.begin(['b/1', 'c/1']);
    expect(others.mayHaveState).to.equal(true);
    others.change(['c/1']);
    expect(others.mayHaveState).to.equal(true);
    others.change([]);
    expect(others.mayHaveState).to.equal(false);
  });

  it('do not have it where they came later, or come again, until this gateway loses its own', () => {
    others.begin(['b/1']);
    others.change(['b/2', 'c/1']);
    expect(others.mayHaveState).to.equal(false);
    others.needState();
    expect(others.mayHaveState).to.equal(true);
    others.change(['c/1']);
    expect(others.mayHaveState).to.equal(true);
    others.change([]);
    expect(others.mayHaveState).to.equal(false);
  });

  it('have it where the log says so, until the board has shown that one and does not any more', () => {
    others.begin([]);
    others.needState('b');
    expect(others.mayHaveState).to.equal(true);
    others.change(['c/1']);
    expect(others.mayHaveState).to.equal(true);
    others.change(['b/1', 'c/1']);
    expect(others.mayHaveState).to.equal(true);
    others.change(['c/1']);
    expect(others.mayHaveState).to.equal(false);
    // It came back, after the state was needed.
    others.change(['b/2', 'c/1']);
    expect(others.mayHaveState).to.equal(false);
  });

  it('are not waited for where the log says of a participant that it has the state', () => {
    others.begin(['b/1']);
    others.needState('b');
    expect(others.mayHaveState).to.equal(true);
    others.change([]);
    expect(others.mayHaveState).to.equal(false);
  });

  it('are not waited for any more where the state is needed anew and the log names nobody', () => {
    others.begin([]);
    others.needState('b');
    others.needState();
    expect(others.mayHaveState).to.equal(false);
  });

  it('have gone with the last of their announcements, which is told once', () => {
    expect(others.change([])).to.eql([]);
    others.begin(['b/1', 'b/2', 'c/1']);
    expect(others.change(['b/2', 'c/1', 'd/1'])).to.eql([]);
    expect(others.change([])).to.eql(['b', 'c', 'd']);
    expect(others.change([])).to.eql([]);
  });

  it('have ids that may contain a slash', () => {
    others.begin(['x/b/1', 'x/c/1']);
    expect(others.change(['x/c/1'])).to.eql(['x/b']);
    expect(others.absentees(['x/c', 'x'])).to.eql([]);
    for (let ticks = 0; ticks < 3; ticks++) others.absentees(['x/c', 'x']);
    expect(others.absentees(['x/c', 'x'])).to.eql(['x']);
  });

  it('[WS-GROUP-4] with members are away for too long at the fifth tick on end, each for itself', () => {
    others.begin(['c/1']);
    const ticks: (readonly string[])[] = [];
    ticks.push(others.absentees(['b', 'c']));
    others.change([]);
    for (let tick = 0; tick < 5; tick++) ticks.push(others.absentees(['b', 'c']));
    expect(ticks).to.eql([[], [], [], [], ['b'], ['c']]);
  });

  it('[WS-GROUP-4] are told again only after five more ticks', () => {
    const told = Array.from({ length: 10 }, () => others.absentees(['b']).length);
    expect(told).to.eql([0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  });

  it('[WS-GROUP-4] begin anew where they took part meanwhile, or had no member', () => {
    for (const between of [
      () => {
        others.change(['b/1']);
        others.absentees(['b']);
        others.change([]);
      },
      () => void others.absentees([]),
    ]) {
      others = new OtherGateways();
      for (let ticks = 0; ticks < 4; ticks++) others.absentees(['b']);
      between();
      const told = Array.from({ length: 5 }, () => others.absentees(['b']).length);
      expect(told).to.eql([0, 0, 0, 0, 1]);
    }
  });
});
