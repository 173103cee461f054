import fc from 'fast-check';
import type { BusPort, Cut } from './simulatedBus.js';

/** Gateways on a bus on which nothing moves by itself. */
interface Simulation {
  /** Those that live. */
  readonly alive: readonly { readonly port: BusPort }[];
  move(choice: number, isLost?: boolean): Promise<void>;
  second(): Promise<void>;
}

export type Step<S> = (simulation: S) => Promise<void>;

/** Any of them, by any number. */
export const at = <T>(items: readonly T[], choice: number): T | undefined =>
  items[choice % Math.max(1, items.length)];

export const anyOne = fc.nat(1_000);

/** Steps of which some are more frequent than others. */
export const stepsOf = <S>(
  maxLength: number,
  ...weighted: readonly (readonly [weight: number, step: fc.Arbitrary<Step<S>>])[]
): fc.Arbitrary<Step<S>[]> =>
  fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), { maxLength });

/** What happens to the gateways, whatever they do. */
export const happenings = <S extends Simulation>() => {
  const toOne =
    (choice: number, happen: (port: BusPort) => void): Step<S> =>
    async ({ alive }) => {
      const gateway = at(alive, choice);
      if (gateway) happen(gateway.port);
    };
  return {
    moving: anyOne.map(
      (choice): Step<S> =>
        (simulation) =>
          simulation.move(choice),
    ),
    losing: anyOne.map(
      (choice): Step<S> =>
        (simulation) =>
          simulation.move(choice, true),
    ),
    seconds: fc.constant<Step<S>>((simulation) => simulation.second()),
    cutting: fc
      .tuple(anyOne, fc.constantFrom<Cut>('no', 'no', 'refused', 'stored, and refused'))
      .map(([choice, cut]) => toOne(choice, (port) => void (port.cut = cut))),
    freezing: fc
      .tuple(anyOne, fc.boolean())
      .map(([choice, isFrozen]) => toOne(choice, (port) => void (port.isFrozen = isFrozen))),
  };
};

/** Whatever has happened is over. */
export const heal = ({ alive }: Simulation): void => {
  for (const { port } of alive) Object.assign(port, { cut: 'no', isFrozen: false });
};
