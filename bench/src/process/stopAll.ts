export interface Stoppable {
  stop(): Promise<void>;
}

/** In the reverse order of starting; goes on when one fails. */
export const stopAll = async (started: readonly Stoppable[]): Promise<void> => {
  for (const running of [...started].reverse()) await running.stop().catch(() => undefined);
};
