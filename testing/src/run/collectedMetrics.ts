import type { CollectMetrics } from '@roomwire/shared/ports/metrics';

/** What a source shows, by name and values of the labels: `roomwire_refusals_total unknown_topic`. Of distributions, how many. */
export const collectedMetrics = async (collect: CollectMetrics): Promise<ReadonlyMap<string, number>> => {
  const shown = new Map<string, number>();
  const show = (name: string, value: number, labels: Readonly<Record<string, string>> = {}): void => {
    const key = [name, ...Object.values(labels)].join(' ');
    if (shown.has(key)) throw new Error(`${key} is shown twice`);
    shown.set(key, value);
  };
  await collect({
    value: show,
    distribution: (name, { counts }, labels?: Readonly<Record<string, string>>) =>
      show(
        name,
        counts.reduce((sum, count) => sum + count, 0),
        labels,
      ),
  });
  return shown;
};
