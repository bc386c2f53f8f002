// Screens that most visits do not open: a file of their own, so that a first visit transfers less.

import { lazily } from "../surfaces/lazily.tsx";
import type { DetailsProps } from "./details/SessionDetails.tsx";

const screens = () => import("./screens.ts");

export const { Component: SettingsPage } = lazily<object>(() => screens().then((all) => all.SettingsPage), Missing);

export const { Component: SessionDetails } = lazily<DetailsProps>(() => screens().then((all) => all.SessionDetails), Missing);

function Missing({ hasFailed }: { readonly hasFailed: boolean }) {
    return hasFailed ? <p class="page secondary">A part of this page could not be loaded. Reload the page.</p> : null;
}
