import { PageHeader } from '../../components/PageHeader.js';

export const OverviewPage = () => <PageHeader title="Overview" />;
