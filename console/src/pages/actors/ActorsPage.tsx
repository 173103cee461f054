import { PageHeader } from '../../components/PageHeader.js';

export const ActorsPage = () => <PageHeader title="Actors" />;
