import "./design/tokens.css";
import "./design/base.css";
import { render } from "preact";

const place = document.getElementById("app");
if (place !== null) render(<h1>mirrord</h1>, place);
