import { barChart } from '@roomwire/analytics/report/svgCharts';
import type { Measured } from '../measure/measured.js';
import { figures, type Figure } from './figures.js';
import { shownNumber } from './table.js';

export interface ChartFile {
  readonly name: string;
  readonly svg: string;
}

/** A chart for each figure that has one, with a bar for each cluster. */
export const charts = (clusters: readonly Measured[]): readonly ChartFile[] =>
  figures.flatMap((figure) =>
    figure.chart === undefined ? [] : [{ name: `${figure.chart}.svg`, svg: chart(figure, clusters) }],
  );

const chart = ({ name, of, chart: title }: Figure, clusters: readonly Measured[]): string =>
  barChart({
    title: titles[title ?? ''] ?? name,
    subtitle: 'by gateway, each with 20,000 connections; strong: the clients of a project together',
    bars: clusters.map((cluster) => ({
      label: `${cluster.size.gateways} gateways, ${cluster.size.placement}`,
      value: of(cluster),
      text: shownNumber(of(cluster)),
      isStrong: cluster.size.placement === 'together',
    })),
  });

const titles: Readonly<Record<string, string>> = {
  decoded: 'Messages decoded in a second',
  leases: 'Lease statements read in a second',
  read: 'MB read in a second',
  presences: 'MiB of presences in memory',
};
