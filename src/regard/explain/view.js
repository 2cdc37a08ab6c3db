/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate and d3-scale (ISC, Mike Bostock). */
var Rt=globalThis,Ct=Rt.ShadowRoot&&(Rt.ShadyCSS===void 0||Rt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,Un=Symbol(),Br=new WeakMap,rt=class{constructor(t,n,r){if(this._$cssResult$=!0,r!==Un)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=n}get styleSheet(){let t=this.o,n=this.t;if(Ct&&t===void 0){let r=n!==void 0&&n.length===1;r&&(t=Br.get(n)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&Br.set(n,t))}return t}toString(){return this.cssText}},Pt=e=>new rt(typeof e=="string"?e:e+"",void 0,Un),v=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((r,o,i)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+e[i+1],e[0]);return new rt(n,e,Un)},Wr=(e,t)=>{if(Ct)e.adoptedStyleSheets=t.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of t){let r=document.createElement("style"),o=Rt.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,e.appendChild(r)}},qn=Ct?e=>e:e=>e instanceof CSSStyleSheet?(t=>{let n="";for(let r of t.cssRules)n+=r.cssText;return Pt(n)})(e):e;var{is:ga,defineProperty:ba,getOwnPropertyDescriptor:xa,getOwnPropertyNames:ya,getOwnPropertySymbols:wa,getPrototypeOf:$a}=Object,It=globalThis,Gr=It.trustedTypes,va=Gr?Gr.emptyScript:"",ka=It.reactiveElementPolyfillSupport,ot=(e,t)=>e,Fn={toAttribute(e,t){switch(t){case Boolean:e=e?va:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},Yr=(e,t)=>!ga(e,t),Kr={attribute:!0,type:String,converter:Fn,reflect:!1,useDefault:!1,hasChanged:Yr};Symbol.metadata??=Symbol("metadata"),It.litPropertyMetadata??=new WeakMap;var le=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,n=Kr){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(t,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(t,r,n);o!==void 0&&ba(this.prototype,t,o)}}static getPropertyDescriptor(t,n,r){let{get:o,set:i}=xa(this.prototype,t)??{get(){return this[n]},set(s){this[n]=s}};return{get:o,set(s){let a=o?.call(this);i?.call(this,s),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??Kr}static _$Ei(){if(this.hasOwnProperty(ot("elementProperties")))return;let t=$a(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(ot("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(ot("properties"))){let n=this.properties,r=[...ya(n),...wa(n)];for(let o of r)this.createProperty(o,n[o])}let t=this[Symbol.metadata];if(t!==null){let n=litPropertyMetadata.get(t);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let n=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let o of r)n.unshift(qn(o))}else t!==void 0&&n.push(qn(t));return n}static _$Eu(t,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Wr(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,n,r){this._$AK(t,r)}_$ET(t,n){let r=this.constructor.elementProperties.get(t),o=this.constructor._$Eu(t,r);if(o!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:Fn).toAttribute(n,r.type);this._$Em=t,i==null?this.removeAttribute(o):this.setAttribute(o,i),this._$Em=null}}_$AK(t,n){let r=this.constructor,o=r._$Eh.get(t);if(o!==void 0&&this._$Em!==o){let i=r.getPropertyOptions(o),s=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:Fn;this._$Em=o;let a=s.fromAttribute(n,i.type);this[o]=a??this._$Ej?.get(o)??a,this._$Em=null}}requestUpdate(t,n,r,o=!1,i){if(t!==void 0){let s=this.constructor;if(o===!1&&(i=this[t]),r??=s.getPropertyOptions(t),!((r.hasChanged??Yr)(i,n)||r.useDefault&&r.reflect&&i===this._$Ej?.get(t)&&!this.hasAttribute(s._$Eu(t,r))))return;this.C(t,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,n,{useDefault:r,reflect:o,wrapped:i},s){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,s??n??this[t]),i!==!0||s!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(n=void 0),this._$AL.set(t,n)),o===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,i]of this._$Ep)this[o]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,i]of r){let{wrapped:s}=i,a=this[o];s!==!0||this._$AL.has(o)||a===void 0||this.C(o,void 0,i,a)}}let t=!1,n=this._$AL;try{t=this.shouldUpdate(n),t?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(n)}willUpdate(t){}_$AE(t){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(t){}firstUpdated(t){}};le.elementStyles=[],le.shadowRootOptions={mode:"open"},le[ot("elementProperties")]=new Map,le[ot("finalized")]=new Map,ka?.({ReactiveElement:le}),(It.reactiveElementVersions??=[]).push("2.1.2");var jn=globalThis,Xr=e=>e,Lt=jn.trustedTypes,Qr=Lt?Lt.createPolicy("lit-html",{createHTML:e=>e}):void 0,Bn="$lit$",ce=`lit$${Math.random().toFixed(9).slice(2)}$`,Wn="?"+ce,Aa=`<${Wn}>`,Te=document,st=()=>Te.createComment(""),at=e=>e===null||typeof e!="object"&&typeof e!="function",Gn=Array.isArray,ro=e=>Gn(e)||typeof e?.[Symbol.iterator]=="function",Dn=`[ 	
\f\r]`,it=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Jr=/-->/g,Zr=/>/g,Ae=RegExp(`>|${Dn}(?:([^\\s"'>=/]+)(${Dn}*=${Dn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),eo=/'/g,to=/"/g,oo=/^(?:script|style|textarea|title)$/i,Kn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),p=Kn(1),qt=Kn(2),I=Kn(3),Me=Symbol.for("lit-noChange"),g=Symbol.for("lit-nothing"),no=new WeakMap,Se=Te.createTreeWalker(Te,129);function io(e,t){if(!Gn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Qr!==void 0?Qr.createHTML(t):t}var so=(e,t)=>{let n=e.length-1,r=[],o,i=t===2?"<svg>":t===3?"<math>":"",s=it;for(let a=0;a<n;a++){let l=e[a],c,u,d=-1,m=0;for(;m<l.length&&(s.lastIndex=m,u=s.exec(l),u!==null);)m=s.lastIndex,s===it?u[1]==="!--"?s=Jr:u[1]!==void 0?s=Zr:u[2]!==void 0?(oo.test(u[2])&&(o=RegExp("</"+u[2],"g")),s=Ae):u[3]!==void 0&&(s=Ae):s===Ae?u[0]===">"?(s=o??it,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,c=u[1],s=u[3]===void 0?Ae:u[3]==='"'?to:eo):s===to||s===eo?s=Ae:s===Jr||s===Zr?s=it:(s=Ae,o=void 0);let h=s===Ae&&e[a+1].startsWith("/>")?" ":"";i+=s===it?l+Aa:d>=0?(r.push(c),l.slice(0,d)+Bn+l.slice(d)+ce+h):l+ce+(d===-2?a:h)}return[io(e,i+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},lt=class e{constructor({strings:t,_$litType$:n},r){let o;this.parts=[];let i=0,s=0,a=t.length-1,l=this.parts,[c,u]=so(t,n);if(this.el=e.createElement(c,r),Se.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=Se.nextNode())!==null&&l.length<a;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(Bn)){let m=u[s++],h=o.getAttribute(d).split(ce),f=/([.?@])?(.*)/.exec(m);l.push({type:1,index:i,name:f[2],strings:h,ctor:f[1]==="."?zt:f[1]==="?"?Vt:f[1]==="@"?Ot:_e}),o.removeAttribute(d)}else d.startsWith(ce)&&(l.push({type:6,index:i}),o.removeAttribute(d));if(oo.test(o.tagName)){let d=o.textContent.split(ce),m=d.length-1;if(m>0){o.textContent=Lt?Lt.emptyScript:"";for(let h=0;h<m;h++)o.append(d[h],st()),Se.nextNode(),l.push({type:2,index:++i});o.append(d[m],st())}}}else if(o.nodeType===8)if(o.data===Wn)l.push({type:2,index:i});else{let d=-1;for(;(d=o.data.indexOf(ce,d+1))!==-1;)l.push({type:7,index:i}),d+=ce.length-1}i++}}static createElement(t,n){let r=Te.createElement("template");return r.innerHTML=t,r}};function Ee(e,t,n=e,r){if(t===Me)return t;let o=r!==void 0?n._$Co?.[r]:n._$Cl,i=at(t)?void 0:t._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(e),o._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(t=Ee(e,o._$AS(e,t.values),o,r)),t}var Ht=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,o=(t?.creationScope??Te).importNode(n,!0);Se.currentNode=o;let i=Se.nextNode(),s=0,a=0,l=r[0];for(;l!==void 0;){if(s===l.index){let c;l.type===2?c=new Ue(i,i.nextSibling,this,t):l.type===1?c=new l.ctor(i,l.name,l.strings,this,t):l.type===6&&(c=new Ut(i,this,t)),this._$AV.push(c),l=r[++a]}s!==l?.index&&(i=Se.nextNode(),s++)}return Se.currentNode=Te,o}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Ue=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,o){this.type=2,this._$AH=g,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=Ee(this,t,n),at(t)?t===g||t==null||t===""?(this._$AH!==g&&this._$AR(),this._$AH=g):t!==this._$AH&&t!==Me&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):ro(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==g&&at(this._$AH)?this._$AA.nextSibling.data=t:this.T(Te.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,o=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=lt.createElement(io(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new Ht(o,this),s=i.u(this.options);i.p(n),this.T(s),this._$AH=i}}_$AC(t){let n=no.get(t.strings);return n===void 0&&no.set(t.strings,n=new lt(t)),n}k(t){Gn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let i of t)o===n.length?n.push(r=new e(this.O(st()),this.O(st()),this,this.options)):r=n[o],r._$AI(i),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let r=Xr(t).nextSibling;Xr(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},_e=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,o,i){this.type=1,this._$AH=g,this._$AN=void 0,this.element=t,this.name=n,this._$AM=o,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=g}_$AI(t,n=this,r,o){let i=this.strings,s=!1;if(i===void 0)t=Ee(this,t,n,0),s=!at(t)||t!==this._$AH&&t!==Me,s&&(this._$AH=t);else{let a=t,l,c;for(t=i[0],l=0;l<i.length-1;l++)c=Ee(this,a[r+l],n,l),c===Me&&(c=this._$AH[l]),s||=!at(c)||c!==this._$AH[l],c===g?t=g:t!==g&&(t+=(c??"")+i[l+1]),this._$AH[l]=c}s&&!o&&this.j(t)}j(t){t===g?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},zt=class extends _e{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===g?void 0:t}},Vt=class extends _e{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==g)}},Ot=class extends _e{constructor(t,n,r,o,i){super(t,n,r,o,i),this.type=5}_$AI(t,n=this){if((t=Ee(this,t,n,0)??g)===Me)return;let r=this._$AH,o=t===g&&r!==g||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,i=t!==g&&(r===g||o);o&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Ut=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){Ee(this,t)}},ao={M:Bn,P:ce,A:Wn,C:1,L:so,R:Ht,D:ro,V:Ee,I:Ue,H:_e,N:Vt,U:Ot,B:zt,F:Ut},Sa=jn.litHtmlPolyfillSupport;Sa?.(lt,Ue),(jn.litHtmlVersions??=[]).push("3.3.3");var lo=(e,t,n)=>{let r=n?.renderBefore??t,o=r._$litPart$;if(o===void 0){let i=n?.renderBefore??null;r._$litPart$=o=new Ue(t.insertBefore(st(),i),i,void 0,n??{})}return o._$AI(e),o};var Yn=globalThis,j=class extends le{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=lo(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return Me}};j._$litElement$=!0,j.finalized=!0,Yn.litElementHydrateSupport?.({LitElement:j});var Ta=Yn.litElementPolyfillSupport;Ta?.({LitElement:j});(Yn.litElementVersions??=[]).push("4.2.2");function Xn({heads:e,rows:t,columns:n,weights:r},o,i,{head:s,shift:a}){let l=new Int32Array(n);for(let u of o.word_pieces)for(let d of u)l[d]++;let c=s===null?Array.from({length:e},(u,d)=>d):[s];return i.word_pieces.map(u=>{let d=u.map(f=>f+a).filter(f=>f<t),m=f=>{let b=0;for(let x of c)for(let w of d)b+=r[(x*t+w)*n+f];return b/Math.max(1,d.length*c.length)};return[...o.word_pieces.map(f=>f.reduce((b,x)=>b+m(x)/Math.max(1,l[x]),0)),m(n-1)]})}function Qn(e,t){let n=t.length/e.length,r=new Array(n).fill(0);for(let o=0;o<e.length;o++)for(let i=0;i<n;i++)r[i]+=e[o]*t[o*n+i];return r}function Ma(e,t=1){let n=Array.from(e),r=Math.max(...n),o=n.map(s=>Math.exp((s-r)/t)),i=o.reduce((s,a)=>s+a,0);return o.map(s=>s/i)}function Ea(e,t=1){let n=Array.from(e,s=>s/t),r=[...n].sort((s,a)=>a-s),o=0,i=0;for(let s=1;s<=r.length&&(o+=r[s-1],1+s*r[s-1]>o);s++)i=(o-1)/s;return n.map(s=>Math.max(0,s-i))}function _a(e){let t=M(e);return Array.from(e,(n,r)=>r===t?1:0)}function Na(e){let t=Array.from(e,r=>r>Number.NEGATIVE_INFINITY?1:0),n=t.reduce((r,o)=>r+o,0);return t.map(r=>r/n)}var Ft=new Map([["softmax",Ma],["sparsemax",Ea],["hard",_a],["uniform",Na]]);function co(e,t,n,r){return Array.from(e,(o,i)=>r?r[i]*Math.tanh(o+t[i]):n*o*t[i])}function M(e){let t=0;for(let n=1;n<e.length;n++)e[n]>e[t]&&(t=n);return t}function W(e){return Array.from(e,(t,n)=>n).sort((t,n)=>e[n]-e[t])}function ct(e){let t=0;for(let n=0;n<e.length;n++)e[n]>0&&(t-=e[n]*Math.log2(e[n]));return t}function uo(e,t){let n=0;for(let r=0;r<e.length;r++)n+=Math.abs(e[r]-t[r]);return n/2}function po(e,t){return 2*[...e].filter(r=>t.has(r)).length/Math.max(1,e.size+t.size)}function mo(e,t){let n=Array.from({length:e.length+1},()=>new Array(t.length+1).fill(0));for(let o=e.length-1;o>=0;o--)for(let i=t.length-1;i>=0;i--)n[o][i]=e[o]===t[i]?n[o+1][i+1]+1:Math.max(n[o+1][i],n[o][i+1]);let r=[];for(let o=0,i=0;o<e.length&&i<t.length;)e[o]===t[i]?(r.push(o++),i++):n[o+1][i]>=n[o][i+1]?o++:i++;return r}var Rd=new Set([173,1564,8203,8206,8207,8288,65279].concat([8234,8235,8236,8237,8238,8294,8295,8296,8297]));function ho({header:e,arrays:t}){return{...e,numbers:n=>t[n]}}var Dt=class{rounds=!0;#e;#t=new Map;#n=0;ready;constructor(t,n){let r=URL.createObjectURL(new Blob([t],{type:"text/javascript"}));this.#e=new Worker(r),URL.revokeObjectURL(r),this.ready=new Promise((o,i)=>{this.#t.set(-1,s=>"error"in s?i(new Error(s.error)):o())}),this.#e.onmessage=({data:o})=>{let i="number"in o?o.number:-1;this.#t.get(i)?.(o),this.#t.delete(i)},this.#e.postMessage({models:n})}explain(t){let n=this.#n++;return new Promise((r,o)=>{this.#t.set(n,i=>{"record"in i?r(i.record&&ho(i.record)):o(new Error("error"in i?i.error:"The engine did not answer."))}),this.#e.postMessage({number:n,...t})})}close(){this.#e.terminate()}};var jt={ink:"#1c2430",soft:"#566170",line:"#dfe4ea",paper:"#ffffff",card:"#f6f8fa",accent:"#33475f",accentSoft:"#e6ebf2",mark:"#b3261e",negative:"#4a5360",query:"#6f3fa8",key:"#00756c",value:"#9a5a00",weight:"#1c5fb0",context:"#a8236b",output:"#2b7320"},Bt={ink:"#e6eaf0",soft:"#a3aebc",line:"#323b47",paper:"#14181e",card:"#1c222a",accent:"#b4c4d8",accentSoft:"#2a3543",mark:"#f59b93",negative:"#9aa5b4",query:"#c7acf5",key:"#5fd0c5",value:"#f2b45a",weight:"#7db4f5",context:"#f28fc0",output:"#8fd47e"},Jn={light:[jt.paper,"#6ba4de","#06285e"],dark:[Bt.paper,"#2b69b0","#d3e8ff"]};function fo(e){let t=n=>n.replace(/[A-Z]/,r=>`-${r.toLowerCase()}`);return Object.entries(e).map(([n,r])=>`--${t(n)}:${r};`).join("")}var go=Pt(`:host{${fo(jt)}}@media (prefers-color-scheme:dark){:host{${fo(Bt)}}}`);var qe=v`
  ${go}
  :host {
    color-scheme: light dark;
    --small: 0.9375rem; --tiny: 0.875rem;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (min-width: 75rem) { :host { --small: 1rem; } }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  sub, sup { font-size: var(--tiny); }
  .soft { color: var(--soft); }
  .small { font-size: var(--small); }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: var(--small); overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; overflow-x: auto; overflow-y: hidden;
    margin: 0.5rem 0 1.25rem; scrollbar-width: none;
    box-shadow: inset 0 -1px var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; white-space: nowrap; flex: none;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: var(--small); color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: var(--small); color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: var(--small);
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .primary { background: var(--accent); color: var(--paper); border-color: var(--accent); min-width: 6.5rem; }
  button.primary[aria-pressed="true"] { background: var(--paper); color: var(--accent); }
  .options > summary { cursor: pointer; color: var(--soft); font-size: var(--small); width: fit-content; }
  .options-body { display: grid; gap: 0.75rem; padding-top: 0.75rem; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: var(--small); max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: var(--small); }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;var Ne={hidden:[],removed:[],off:[],fixed:null,uniform:!1,temperature:1};function me(e){return JSON.stringify(e)===JSON.stringify(Ne)}var La=500,Gt=class{constructor(t,n,r,o){this.engine=t;this.models=n;this.text=r;this.display=o;this.explanations=this.originals=Array(n).fill(null)}engine;models;text;display;edits=Ne;explanations=[];originals=[];error="";#e;begin(t){this.originals=[...t],this.explanations=[...t]}setText(t){t!==this.text&&(this.text=t,this.edits={...this.edits,hidden:[],removed:[],fixed:null},this.translate())}edit(t){this.edits={...this.edits,...t},this.translate()}async translate(){let t=this.text.trim();if(this.error="",clearTimeout(this.#e),!t)return;this.#e=setTimeout(()=>this.#n(),La);let n=Array.from({length:this.models},(r,o)=>o);await Promise.all(n.map(r=>this.#t(t,r)))}async#t(t,n){try{let r=this.originals[n],o=r&&he(r).text===t?r:await this.engine.explain({model:n,text:t,purpose:"original",options:{}});if(!o)return;this.originals=Wt(this.originals,n,o);let i=me(this.edits)?o:await this.engine.explain({model:n,purpose:"changed",text:Ha(he(o),this.edits.removed),options:{changes:za(this.edits,o)}});if(!i)return;this.explanations=Wt(this.explanations,n,i),this.display.replace(i,n)}catch(r){this.error=r instanceof Error?r.message:String(r),this.display.fail()}}async#n(){if(!me(this.edits))return;let t=this.text.trim(),n=Array.from({length:this.models},(r,o)=>o);await Promise.all(n.map(async r=>{if(this.originals[r]?.interventions)return;let i={model:r,text:t,purpose:"interventions",options:{interventions:!0}},s=await this.engine.explain(i).catch(()=>null),a=this.explanations[r];!s||a!==this.originals[r]||this.text.trim()!==t||(this.explanations=Wt(this.explanations,r,s),this.originals=Wt(this.originals,r,s),this.display.extend(s,r))}))}};function Wt(e,t,n){return e.map((r,o)=>o===t?n:r)}function he(e){if(e.source?.kind!=="text")throw new Error("The source is not a text.");return e.source}function Kt({text:e,words:t}){let n=Array.from(e);return t.map(([r,o])=>n.slice(r,o).join(""))}function Ha({text:e,words:t},n){let r=Array.from(e);for(let[o,i]of n.map(s=>t[s]))for(let s=o;s<i;s++)r[s]="";return r.join("").replace(/\s+/g," ").trim()}function za(e,t){let n=he(t),r=n.words.map((a,l)=>l).filter(a=>!e.removed.includes(a)),o=Va(n,r),i=t.attentions.filter(({kind:a})=>a==="cross"),s={hidden:e.hidden.flatMap(a=>o[r.indexOf(a)]??[]),off:e.off.map(a=>{let[l,c]=a.split("/");return{attention:l,head:Number(c)}}),temperature:e.temperature};return e.uniform&&(s.uniform=i.map(({name:a})=>a)),e.fixed&&!e.removed.length&&(s.fixed=Oa(e.fixed,t,i)),s}function Va(e,t){let n=e.word_pieces[0]?.[0]??0;return t.map(r=>e.word_pieces[r].map(()=>n++))}function Oa({word:e,weights:t},{source:n,target:r},o){let i=n,s=new Array(i.pieces.length).fill(0);s[s.length-1]=t[t.length-1];for(let[l,c]of i.word_pieces.entries())for(let u of c)s[u]+=t[l]/c.length;let a=r.word_pieces[e]??[];return o.flatMap(({name:l})=>a.map(c=>({attention:l,step:c,head:null,weights:s})))}function bo(){let e=yo(location.hash),t=e.get("edits");try{return{text:e.get("text"),edits:t===null?null:Ua(JSON.parse(t))}}catch{return{text:e.get("text"),edits:null}}}function xo({text:e,edits:t},n){let r=yo(location.hash);r.delete("text"),r.delete("edits"),e!==n&&r.set("text",e),me(t)||r.set("edits",JSON.stringify(t));let[o]=location.hash.slice(1).split("&"),i=r.toString(),s=o||i?`#${o}${i?`&${i}`:""}`:"";location.protocol!=="about:"&&location.hash!==s&&history.replaceState(null,"",s||location.pathname+location.search)}function yo(e){let t=e.indexOf("&");return new URLSearchParams(t<0?"":e.slice(t+1))}function Ua(e){let t={...Ne,...e},n=i=>Array.isArray(i)&&i.every(s=>Number.isInteger(s)&&s>=0),r=t.fixed;return n(t.hidden)&&n(t.removed)&&Array.isArray(t.off)&&t.off.every(i=>typeof i=="string")&&(r===null||Number.isInteger(r.word)&&r.weights.every(Number.isFinite))&&typeof t.uniform=="boolean"&&t.temperature>0&&t.temperature<1e3?t:Ne}function $o(e,t){let n=e.originals.find(i=>i?.attentions.some(Zn)),r=e.originals.find(i=>i!==null);if(!r)return p``;let o=i=>{e.edit(i),t()};return p`<div class="changes">
    ${qa(e.edits,r,n!==void 0,o)}
    ${n?Fa(e,n,o):g}
    ${me(e.edits)?g:p`<button data-testid="undo" @click=${()=>o(Ne)}>Undo all changes</button>`}
  </div>`}function qa(e,t,n,r){let o=Kt(he(t)),i=e.removed.length||!n?"removed":"hidden",s=e[i],a=u=>r({[i]:s.includes(u)?s.filter(d=>d!==u):[...s,u],fixed:null}),l=u=>r({hidden:[],removed:[],[u]:s,fixed:null}),c=s.length>=o.length-1;return p`<fieldset data-testid="strike">
    <legend>Strike a word</legend>
    <span class="words">${o.map((u,d)=>p`<button class="strike" data-testid="struck" data-word=${d} lang=""
        aria-pressed=${s.includes(d)} ?disabled=${c&&!s.includes(d)}
        @click=${()=>a(d)}>${u}</button>`)}</span>
    ${n?p`<label><input type="radio" name="strike" ?checked=${i==="hidden"}
            @change=${()=>l("hidden")}>attention does not see it</label>
          <label><input type="radio" name="strike" ?checked=${i==="removed"}
            data-testid="remove" @change=${()=>l("removed")}>it is not in the sentence</label>`:g}
  </fieldset>`}function Fa(e,t,n){let{edits:r}=e,o=t.attentions.filter(Zn).flatMap(i=>Array.from({length:i.heads},(s,a)=>({attention:i,head:a})));return p`<details>
    <summary>Change the attention</summary>
    <div class="controls">
      <label class="inline"><input type="checkbox" data-testid="uniform" ?checked=${r.uniform}
        @change=${()=>n({uniform:!r.uniform})}>equal weights</label>
      <label>temperature ${r.temperature.toFixed(2)}
        <input type="range" min="-3" max="3" step="0.25" data-testid="live-temperature"
          .value=${String(Math.log2(r.temperature))} ?disabled=${r.uniform}
          @input=${i=>n({temperature:2**Number(i.target.value)})}>
      </label>
      ${o.length>1?Da(r,o,n):g}
    </div>
    ${r.removed.length?g:ja(r,t,n)}
  </details>`}function Da(e,t,n){let r=o=>n({off:e.off.includes(o)?e.off.filter(i=>i!==o):[...e.off,o]});return p`<fieldset data-testid="switches"><legend>Heads</legend>${t.map(({attention:o,head:i})=>{let s=`${o.name}/${i}`,a=`layer ${o.layer+1}, head ${i+1}`;return p`<button class="head" data-testid="switch" data-head=${s} title=${a}
        aria-label=${a} aria-pressed=${!e.off.includes(s)}
        @click=${()=>r(s)}>${o.layer+1}.${i+1}</button>`})}</fieldset>`}function ja(e,t,n){let r=he(t),o=[...Kt(r),"end"],i=Kt(t.target),s=e.fixed?.word??0,a=e.fixed?.weights??wo(t,s),l=u=>n({fixed:{word:u,weights:wo(t,u)}}),c=(u,d)=>{let m=1-a[u],h=a.map((f,b)=>b===u?d:m>0?f*(1-d)/m:(1-d)/(a.length-1));n({fixed:{word:s,weights:h}})};return i.length?p`<fieldset class="weights" data-testid="weights">
    <legend>Weights for <select aria-label="target word" data-testid="weights-of"
      @change=${u=>l(Number(u.target.value))}>
      ${i.map((u,d)=>p`<option value=${d} ?selected=${d===s}>${u}</option>`)}
      </select></legend>
    ${o.map((u,d)=>p`<label><span>${u}</span>
        <input type="range" min="0" max="1" step="0.01" data-testid="weight" data-word=${d}
          aria-label=${`weight of ${u}`} .value=${String(a[d])}
          @input=${m=>c(d,Number(m.target.value))}>
        <span class="number">${a[d].toFixed(2)}</span></label>`)}
    ${e.fixed?p`<button @click=${()=>n({fixed:null})}>Use the model's weights</button>`:g}
  </fieldset>`:p``}function wo(e,t){let n=e.attentions.filter(Zn).at(-1),r=e.numbers(n.weights),o=he(e).pieces.length,i={heads:n.heads,rows:r.length/n.heads/o,columns:o},s={head:null,shift:0};return Xn({...i,weights:r},he(e),e.target,s)[t]}function Zn({kind:e}){return e==="cross"}var vo=v`
  .changes { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: start; }
  fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; min-width: 0; }
  legend { float: left; padding: 0; margin-inline-end: 0.5rem; color: var(--soft); }
  .words { display: inline-flex; flex-wrap: wrap; gap: 0.25rem; }
  .strike { padding: 0.1rem 0.5rem; }
  .strike[aria-pressed="true"] { text-decoration: line-through 2px; background: var(--card); color: var(--soft); }
  .head { padding: 0.1rem 0.4rem; font-variant-numeric: tabular-nums; }
  .head[aria-pressed="false"] { text-decoration: line-through; color: var(--soft); }
  summary { cursor: pointer; min-height: 2rem; color: var(--accent); }
  .weights { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: 0.75rem; }
  .weights legend { float: none; margin-bottom: 0.35rem; }
  .weights label { display: grid; grid-template-columns: 6rem 1fr 2.5rem; gap: 0.5rem; align-items: center; }
  .weights label > span:first-child { overflow: hidden; text-overflow: ellipsis; }
`;var Ba=400,Yt=class extends j{static styles=[qe,vo,Wa()];engine=null;#e=null;#t={text:"",names:[],examples:[]};#n="";#o=!1;#i=0;connectedCallback(){if(super.connectedCallback(),this.engine)return;let t=s=>Array.from(this.querySelectorAll(`:scope > script[type="${s}"]`),a=>a.textContent??""),[n]=t("application/json"),[r]=t("text/plain"),o=t("application/vnd.regard.model+json"),i=new Dt(r,o);this.engine=i.ready.then(()=>i),this.#t=JSON.parse(n??"{}"),this.#s(this.engine)}disconnectedCallback(){super.disconnectedCallback(),this.engine?.then(t=>t.close(),()=>{})}use(t){this.#e?.setText(t),this.requestUpdate(),this.#r?.scrollIntoView({block:"start",behavior:"smooth"})}get#r(){return this.closest("regard-view")}connect(t,n){this.engine=Promise.resolve(t),this.#t=n,this.#s(this.engine)}async#s(t){try{let n=await t,r=this.#r;r&&!r.records.length&&await new Promise(c=>r.addEventListener("regard-ready",c,{once:!0}));let{text:o,edits:i}=bo(),{names:s,text:a}=this.#t,l=new Gt(n,s.length,o??a,this);i&&(l.edits=i),this.#e=l,n.rounds||o!==null||i?await l.translate():l.begin(r?.records??[])}catch(n){this.#n=n instanceof Error?n.message:String(n)}this.requestUpdate()}replace(t,n){this.#r?.replace(t,n),this.requestUpdate()}extend(t,n){this.#r?.extend(t,n)}fail(){this.requestUpdate()}updated(t){let n=this.getBoundingClientRect().height;n!==this.#i&&this.#r?.requestUpdate(),this.#i=n,this.toggleAttribute("present",this.#r?.hasAttribute("present")??!1),this.#e&&xo(this.#e,this.#t.text)}render(){let t=this.#e;return this.#n?ko(this.#n):t?p`<section aria-label="the sentence and its changes">
      <div class="line">
        <textarea rows="1" maxlength=${Ba} dir="auto" spellcheck="false" data-testid="live-source"
          aria-label="sentence to translate" placeholder="Type a sentence" .value=${t.text}
          @input=${this.#u}></textarea>
        ${this.#t.examples.length?this.#l():g}
        <button data-testid="share" @click=${this.#d}>${this.#o?"Copied":"Copy link"}</button>
      </div>
      ${t.error?ko(t.error):g}
      ${$o(t,()=>this.requestUpdate())}
      ${this.#t.names.map((n,r)=>this.#c(t,n,r))}
    </section>`:p`<p class="soft">The model is being read.</p>`}#l(){return p`<select aria-label="Examples" data-testid="examples" @change=${n=>{let r=n.target;this.use(r.value),r.selectedIndex=0}}>
      <option value="" disabled selected>Examples</option>
      ${this.#t.examples.map(n=>p`<option value=${n}>${n}</option>`)}</select>`}#c(t,n,r){let o=t.explanations[r]?.target.text??"",i=t.originals[r]?.target.text??"",s=!me(t.edits)&&o!==i,a=t.models>1?`${n}: `:"";return p`<p class="output" data-testid="live-output" data-model=${r} data-changed=${s}>
      <span class=${s?"":"hidden"} aria-live="polite">${a}<span dir="auto"
        data-testid="live-translation">${o}</span></span>
      ${s?p`<span class="soft">before: <span dir="auto">${i}</span></span>`:g}
    </p>`}#u(t){this.#e?.setText(t.target.value)}async#d(){try{await navigator.clipboard.writeText(location.href),this.#o=!0,setTimeout(()=>{this.#o=!1,this.requestUpdate()},2e3)}catch{this.#e&&(this.#e.error="The browser does not allow copying. Copy the address of the page.")}this.requestUpdate()}};function ko(e){return p`<p class="placeholder" role="alert">${e}</p>`}function Wa(){return v`
    section { display: grid; gap: 0.5rem; margin: 0.5rem 0; }
    .line { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: start; }
    textarea {
      font: inherit; font-size: 1.2rem; padding: 0.3rem 0.6rem; border: 1px solid var(--line);
      border-radius: 8px; background: var(--paper); color: var(--ink); resize: none;
      field-sizing: content; flex: 1; min-width: min(20rem, 100%);
    }
    .line select { max-width: 8rem; }
    :host([present]) :is(textarea, button, select, label, summary, legend, p, span) { font-size: 1.5rem; }
    :host([present]) :is(.line select, .line button) { display: none; }
    .output { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; font-size: 1.1rem; }
  `}var Xt=class extends j{static styles=[qe,Ka()];#e=[];#t=[];#n=0;#o=new Map;get#i(){return document.querySelector("regard-live")}connectedCallback(){super.connectedCallback();let t=this.querySelector(':scope > script[type="application/json"]'),{names:n,sentences:r}=JSON.parse(t?.textContent??"{}");this.#e=n??[],this.#t=r??[]}render(){if(!this.#t.length)return p``;let[t,n]=this.#t[this.#n];for(let r of this.#e.keys())this.#s(r,t,n);return p`<section aria-labelledby="title" data-testid="length-race">
      <h2 id="title">One vector against attention</h2>
      <label class="length"><span>Length: <strong>${So(t)} words</strong></span>
        <input type="range" min="0" max=${this.#t.length-1} step="1"
          .value=${String(this.#n)} data-testid="race-length" aria-label="length of the sentence"
          @input=${this.#l}></label>
      <p class="source" dir="auto">${t}</p>
      ${this.#e.map((r,o)=>this.#r(r,o,t,So(n)))}
      <p><button data-testid="see-how" @click=${()=>this.#i?.use(t)}>See how, word by word</button></p>
    </section>`}#r(t,n,r,o){let i=this.#o.get(Ao(n,r)),s=Qt(i?.text??""),a=i?.right.filter(Boolean).length??0;return p`<div class="lane" data-testid="race-lane" data-model=${n}
        data-right=${i?a:""} data-of=${o}>
      <span class="name">${t}</span>
      <p dir="auto">${s.map((l,c)=>p`<span class=${i?.right[c]?"right":"wrong"}>${l}</span> `)}</p>
      <span class="score">${i?`${a} of ${o} words right`:"…"}</span>
    </div>`}async#s(t,n,r){let o=Ao(t,n);if(this.#o.has(o))return;this.#o.set(o,null);let s=await(await this.#i?.engine)?.explain({model:t,text:n,purpose:n,options:{}});if(!s)return;let{text:a}=s.target;this.#o.set(o,{text:a,right:Ga(a,r)}),this.requestUpdate()}#l(t){this.#n=Number(t.target.value),this.requestUpdate()}};function Ao(e,t){return`${e} ${t}`}function Qt(e){return e.split(/\s+/).filter(Boolean)}function So(e){return Qt(e).length}function Ga(e,t){let[n,r]=[Qt(e),Qt(t)],o=n.map(()=>new Array(r.length+1).fill(0));o.push(new Array(r.length+1).fill(0));for(let s=n.length-1;s>=0;s--)for(let a=r.length-1;a>=0;a--)o[s][a]=n[s]===r[a]?o[s+1][a+1]+1:Math.max(o[s+1][a],o[s][a+1]);let i=n.map(()=>!1);for(let s=0,a=0;s<n.length&&a<r.length;)n[s]===r[a]?(i[s]=!0,s++,a++):o[s+1][a]>=o[s][a+1]?s++:a++;return i}function Ka(){return v`
    :host { margin-bottom: 1.5rem; }
    section {
      display: grid; gap: 0.6rem; padding: 1rem 1.25rem; border: 1px solid var(--line);
      border-radius: 10px; background: var(--card);
    }
    .length { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
    .length input { flex: 1; min-width: 10rem; }
    .source { font-size: 1.35rem; }
    .lane {
      display: grid; grid-template-columns: 8rem 1fr auto; gap: 0.25rem 1rem;
      align-items: baseline; font-size: 1.35rem;
    }
    .name, .score { color: var(--soft); font-size: 1rem; }
    .wrong { text-decoration: underline wavy 2px var(--mark); text-underline-offset: 0.25em; }
    @media (max-width: 40rem) { .lane { grid-template-columns: 1fr; } }
  `}var Ya=26,Xa=2,er=.005;function To({source:e,weights:t,bottleneck:n}){return e.units.flatMap((r,o)=>n||t[o]>=er?[o]:[])}function Mo(e,t,n){let{weights:r,bottleneck:o}=e,i=n||t<2&&!o?[]:To(e),s=a=>o?Xa:Ya*r[a];return p`<svg class="arcs ${o?"threads":""}" aria-hidden="true">
    ${i.map(a=>qt`<path class="arc" data-testid="arc" data-unit=${a} pathLength="1"
        data-value=${o?1:r[a]} .style=${`stroke-width:${s(a)}px`}></path>`)}</svg>`}function Eo(e,t,n){if(t!==4||n)return g;let r=o=>e.bottleneck?7:6+12*Math.sqrt(e.shares[o]);return p`<div class="dots" aria-hidden="true">${To(e).flatMap(o=>[0,1,2].map(i=>p`<i class="dot" data-unit=${o}
        .style=${`--size:${r(o)}px;--delay:${.14*i}`}></i>`))}</div>`}function _o(e){for(let t of e.querySelectorAll(".lane"))Qa(t)}function Qa(e){let{left:t,top:n}=e.getBoundingClientRect(),r=l=>{let{x:c,y:u,width:d,height:m}=(l??e).getBoundingClientRect();return{x:c-t+d/2,top:u-n,bottom:u-n+m,width:d}},o=e.querySelector(".pill"),i=e.querySelectorAll(".part"),s=e.querySelectorAll('[data-testid="source-word"]'),a=l=>{let c=r(s[l]),u=r(o),d=i.length?r(i[l]):u,m=i.length?0:((l+.5)/s.length-.5)*Math.min(60,u.width/3),[h,f,b,x]=[c.x,c.bottom+1,d.x+m,u.top],w=(f+x)/2;return`M${h} ${f}C${h} ${w} ${b} ${w} ${b} ${x}`};for(let l of e.querySelectorAll(".arc"))l.setAttribute("d",a(Number(l.dataset.unit)));for(let l of e.querySelectorAll(".dot"))l.style.offsetPath=`path("${a(Number(l.dataset.unit))}")`}function Jt(e,t){return e==null||t==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Ja(e,t){return e==null||t==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function No(e){let t,n,r;e.length!==2?(t=Jt,n=(a,l)=>Jt(e(a),l),r=(a,l)=>e(a)-l):(t=e===Jt||e===Ja?e:Za,n=e,r=e);function o(a,l,c=0,u=a.length){if(c<u){if(t(l,l)!==0)return u;do{let d=c+u>>>1;n(a[d],l)<0?c=d+1:u=d}while(c<u)}return c}function i(a,l,c=0,u=a.length){if(c<u){if(t(l,l)!==0)return u;do{let d=c+u>>>1;n(a[d],l)<=0?c=d+1:u=d}while(c<u)}return c}function s(a,l,c=0,u=a.length){let d=o(a,l,c,u-1);return d>c&&r(a[d-1],l)>-r(a[d],l)?d-1:d}return{left:o,center:s,right:i}}function Za(){return 0}function el(e){return e===null?NaN:+e}var Ro=No(Jt),Co=Ro.right,Ep=Ro.left,_p=No(el).center;var Np=Po(Io),Rp=Po(tl);function Po(e){return function(t,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:o,width:i,height:s}=t;if(!((i=Math.floor(i))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:o.length/i))>=0))throw new RangeError("invalid height");if(!i||!s||!n&&!r)return t;let a=n&&e(n),l=r&&e(r),c=o.slice();return a&&l?(Fe(a,c,o,i,s),Fe(a,o,c,i,s),Fe(a,c,o,i,s),De(l,o,c,i,s),De(l,c,o,i,s),De(l,o,c,i,s)):a?(Fe(a,o,c,i,s),Fe(a,c,o,i,s),Fe(a,o,c,i,s)):l&&(De(l,o,c,i,s),De(l,c,o,i,s),De(l,o,c,i,s)),t}}function Fe(e,t,n,r,o){for(let i=0,s=r*o;i<s;)e(t,n,i,i+=r,1)}function De(e,t,n,r,o){for(let i=0,s=r*o;i<r;++i)e(t,n,i,i+s,r)}function tl(e){let t=Io(e);return(n,r,o,i,s)=>{o<<=2,i<<=2,s<<=2,t(n,r,o+0,i+0,s),t(n,r,o+1,i+1,s),t(n,r,o+2,i+2,s),t(n,r,o+3,i+3,s)}}function Io(e){let t=Math.floor(e);if(t===e)return nl(e);let n=e-t,r=2*e+1;return(o,i,s,a,l)=>{if(!((a-=l)>=s))return;let c=t*i[s],u=l*t,d=u+l;for(let m=s,h=s+u;m<h;m+=l)c+=i[Math.min(a,m)];for(let m=s,h=a;m<=h;m+=l)c+=i[Math.min(a,m+u)],o[m]=(c+n*(i[Math.max(s,m-d)]+i[Math.min(a,m+d)]))/r,c-=i[Math.max(s,m-u)]}}function nl(e){let t=2*e+1;return(n,r,o,i,s)=>{if(!((i-=s)>=o))return;let a=e*r[o],l=s*e;for(let c=o,u=o+l;c<u;c+=s)a+=r[Math.min(i,c)];for(let c=o,u=i;c<=u;c+=s)a+=r[Math.min(i,c+l)],n[c]=a/t,a-=r[Math.max(o,c-l)]}}var rl=Array.prototype,Cp=rl.slice;var ol=Math.sqrt(50),il=Math.sqrt(10),sl=Math.sqrt(2);function Zt(e,t,n){let r=(t-e)/Math.max(0,n),o=Math.floor(Math.log10(r)),i=r/Math.pow(10,o),s=i>=ol?10:i>=il?5:i>=sl?2:1,a,l,c;return o<0?(c=Math.pow(10,-o)/s,a=Math.round(e*c),l=Math.round(t*c),a/c<e&&++a,l/c>t&&--l,c=-c):(c=Math.pow(10,o)*s,a=Math.round(e/c),l=Math.round(t/c),a*c<e&&++a,l*c>t&&--l),l<a&&.5<=n&&n<2?Zt(e,t,n*2):[a,l,c]}function Lo(e,t,n){if(t=+t,e=+e,n=+n,!(n>0))return[];if(e===t)return[e];let r=t<e,[o,i,s]=r?Zt(t,e,n):Zt(e,t,n);if(!(i>=o))return[];let a=i-o+1,l=new Array(a);if(r)if(s<0)for(let c=0;c<a;++c)l[c]=(i-c)/-s;else for(let c=0;c<a;++c)l[c]=(i-c)*s;else if(s<0)for(let c=0;c<a;++c)l[c]=(o+c)/-s;else for(let c=0;c<a;++c)l[c]=(o+c)*s;return l}function en(e,t,n){return t=+t,e=+e,n=+n,Zt(e,t,n)[2]}function Ho(e,t,n){t=+t,e=+e,n=+n;let r=t<e,o=r?en(t,e,n):en(e,t,n);return(r?-1:1)*(o<0?1/-o:o)}var Pp=al(Math.random);function al(e){return function(n,r=0,o=n.length){let i=o-(r=+r);for(;i;){let s=e()*i--|0,a=n[i+r];n[i+r]=n[s+r],n[s+r]=a}return n}}function zo(e,t){switch(arguments.length){case 0:break;case 1:this.range(e);break;default:this.range(t).domain(e);break}return this}function Ge(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function pt(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function fe(){}var Ie=.7,We=1/Ie,je="\\s*([+-]?\\d+)\\s*",ut="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",ee="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",ll=/^#([0-9a-f]{3,8})$/,cl=new RegExp(`^rgb\\(${je},${je},${je}\\)$`),ul=new RegExp(`^rgb\\(${ee},${ee},${ee}\\)$`),dl=new RegExp(`^rgba\\(${je},${je},${je},${ut}\\)$`),pl=new RegExp(`^rgba\\(${ee},${ee},${ee},${ut}\\)$`),ml=new RegExp(`^hsl\\(${ut},${ee},${ee}\\)$`),hl=new RegExp(`^hsla\\(${ut},${ee},${ee},${ut}\\)$`),Vo={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};Ge(fe,Ke,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:Oo,formatHex:Oo,formatHex8:fl,formatHsl:gl,formatRgb:Uo,toString:Uo});function Oo(){return this.rgb().formatHex()}function fl(){return this.rgb().formatHex8()}function gl(){return Yo(this).formatHsl()}function Uo(){return this.rgb().formatRgb()}function Ke(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=ll.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?qo(t):n===3?new L(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?tn(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?tn(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=cl.exec(e))?new L(t[1],t[2],t[3],1):(t=ul.exec(e))?new L(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=dl.exec(e))?tn(t[1],t[2],t[3],t[4]):(t=pl.exec(e))?tn(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=ml.exec(e))?jo(t[1],t[2]/100,t[3]/100,1):(t=hl.exec(e))?jo(t[1],t[2]/100,t[3]/100,t[4]):Vo.hasOwnProperty(e)?qo(Vo[e]):e==="transparent"?new L(NaN,NaN,NaN,0):null}function qo(e){return new L(e>>16&255,e>>8&255,e&255,1)}function tn(e,t,n,r){return r<=0&&(e=t=n=NaN),new L(e,t,n,r)}function sr(e){return e instanceof fe||(e=Ke(e)),e?(e=e.rgb(),new L(e.r,e.g,e.b,e.opacity)):new L}function mt(e,t,n,r){return arguments.length===1?sr(e):new L(e,t,n,r??1)}function L(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}Ge(L,mt,pt(fe,{brighter(e){return e=e==null?We:Math.pow(We,e),new L(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?Ie:Math.pow(Ie,e),new L(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new L(Ce(this.r),Ce(this.g),Ce(this.b),rn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:Fo,formatHex:Fo,formatHex8:bl,formatRgb:Do,toString:Do}));function Fo(){return`#${Re(this.r)}${Re(this.g)}${Re(this.b)}`}function bl(){return`#${Re(this.r)}${Re(this.g)}${Re(this.b)}${Re((isNaN(this.opacity)?1:this.opacity)*255)}`}function Do(){let e=rn(this.opacity);return`${e===1?"rgb(":"rgba("}${Ce(this.r)}, ${Ce(this.g)}, ${Ce(this.b)}${e===1?")":`, ${e})`}`}function rn(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function Ce(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function Re(e){return e=Ce(e),(e<16?"0":"")+e.toString(16)}function jo(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new G(e,t,n,r)}function Yo(e){if(e instanceof G)return new G(e.h,e.s,e.l,e.opacity);if(e instanceof fe||(e=Ke(e)),!e)return new G;if(e instanceof G)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,o=Math.min(t,n,r),i=Math.max(t,n,r),s=NaN,a=i-o,l=(i+o)/2;return a?(t===i?s=(n-r)/a+(n<r)*6:n===i?s=(r-t)/a+2:s=(t-n)/a+4,a/=l<.5?i+o:2-i-o,s*=60):a=l>0&&l<1?0:s,new G(s,a,l,e.opacity)}function sn(e,t,n,r){return arguments.length===1?Yo(e):new G(e,t,n,r??1)}function G(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Ge(G,sn,pt(fe,{brighter(e){return e=e==null?We:Math.pow(We,e),new G(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?Ie:Math.pow(Ie,e),new G(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,o=2*n-r;return new L(tr(e>=240?e-240:e+120,o,r),tr(e,o,r),tr(e<120?e+240:e-120,o,r),this.opacity)},clamp(){return new G(Bo(this.h),nn(this.s),nn(this.l),rn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=rn(this.opacity);return`${e===1?"hsl(":"hsla("}${Bo(this.h)}, ${nn(this.s)*100}%, ${nn(this.l)*100}%${e===1?")":`, ${e})`}`}}));function Bo(e){return e=(e||0)%360,e<0?e+360:e}function nn(e){return Math.max(0,Math.min(1,e||0))}function tr(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var Xo=Math.PI/180,Qo=180/Math.PI,on=18,Jo=.96422,Zo=1,ei=.82521,ti=4/29,Be=6/29,ni=3*Be*Be,xl=Be*Be*Be;function ri(e){if(e instanceof te)return new te(e.l,e.a,e.b,e.opacity);if(e instanceof ue)return ii(e);e instanceof L||(e=sr(e));var t=ir(e.r),n=ir(e.g),r=ir(e.b),o=nr((.2225045*t+.7168786*n+.0606169*r)/Zo),i,s;return t===n&&n===r?i=s=o:(i=nr((.4360747*t+.3850649*n+.1430804*r)/Jo),s=nr((.0139322*t+.0971045*n+.7141733*r)/ei)),new te(116*o-16,500*(i-o),200*(o-s),e.opacity)}function oi(e,t,n,r){return arguments.length===1?ri(e):new te(e,t,n,r??1)}function te(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}Ge(te,oi,pt(fe,{brighter(e){return new te(this.l+on*(e??1),this.a,this.b,this.opacity)},darker(e){return new te(this.l-on*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=Jo*rr(t),e=Zo*rr(e),n=ei*rr(n),new L(or(3.1338561*t-1.6168667*e-.4906146*n),or(-.9787684*t+1.9161415*e+.033454*n),or(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function nr(e){return e>xl?Math.pow(e,1/3):e/ni+ti}function rr(e){return e>Be?e*e*e:ni*(e-ti)}function or(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function ir(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function yl(e){if(e instanceof ue)return new ue(e.h,e.c,e.l,e.opacity);if(e instanceof te||(e=ri(e)),e.a===0&&e.b===0)return new ue(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*Qo;return new ue(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function an(e,t,n,r){return arguments.length===1?yl(e):new ue(e,t,n,r??1)}function ue(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function ii(e){if(isNaN(e.h))return new te(e.l,0,0,e.opacity);var t=e.h*Xo;return new te(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}Ge(ue,an,pt(fe,{brighter(e){return new ue(this.h,this.c,this.l+on*(e??1),this.opacity)},darker(e){return new ue(this.h,this.c,this.l-on*(e??1),this.opacity)},rgb(){return ii(this).rgb()}}));var si=-.14861,ar=1.78277,lr=-.29227,ln=-.90649,dt=1.97294,Wo=dt*ln,Go=dt*ar,Ko=ar*lr-ln*si;function wl(e){if(e instanceof Pe)return new Pe(e.h,e.s,e.l,e.opacity);e instanceof L||(e=sr(e));var t=e.r/255,n=e.g/255,r=e.b/255,o=(Ko*r+Wo*t-Go*n)/(Ko+Wo-Go),i=r-o,s=(dt*(n-o)-lr*i)/ln,a=Math.sqrt(s*s+i*i)/(dt*o*(1-o)),l=a?Math.atan2(s,i)*Qo-120:NaN;return new Pe(l<0?l+360:l,a,o,e.opacity)}function cn(e,t,n,r){return arguments.length===1?wl(e):new Pe(e,t,n,r??1)}function Pe(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}Ge(Pe,cn,pt(fe,{brighter(e){return e=e==null?We:Math.pow(We,e),new Pe(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?Ie:Math.pow(Ie,e),new Pe(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*Xo,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),o=Math.sin(e);return new L(255*(t+n*(si*r+ar*o)),255*(t+n*(lr*r+ln*o)),255*(t+n*(dt*r)),this.opacity)}}));function ui(e,t,n,r,o){var i=e*e,s=i*e;return((1-3*e+3*i-s)*t+(4-6*i+3*s)*n+(1+3*e+3*i-3*s)*r+s*o)/6}function $l(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),o=e[r],i=e[r+1],s=r>0?e[r-1]:2*o-i,a=r<t-1?e[r+2]:2*i-o;return ui((n-r/t)*t,s,o,i,a)}}function vl(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),o=e[(r+t-1)%t],i=e[r%t],s=e[(r+1)%t],a=e[(r+2)%t];return ui((n-r/t)*t,o,i,s,a)}}var dn=e=>()=>e;function di(e,t){return function(n){return e+n*t}}function kl(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function pr(e,t){var n=t-e;return n?di(e,n>180||n<-180?n-360*Math.round(n/360):n):dn(isNaN(e)?t:e)}function Al(e){return(e=+e)==1?q:function(t,n){return n-t?kl(t,n,e):dn(isNaN(t)?n:t)}}function q(e,t){var n=t-e;return n?di(e,n):dn(isNaN(e)?t:e)}var ai=(function e(t){var n=Al(t);function r(o,i){var s=n((o=mt(o)).r,(i=mt(i)).r),a=n(o.g,i.g),l=n(o.b,i.b),c=q(o.opacity,i.opacity);return function(u){return o.r=s(u),o.g=a(u),o.b=l(u),o.opacity=c(u),o+""}}return r.gamma=e,r})(1);function pi(e){return function(t){var n=t.length,r=new Array(n),o=new Array(n),i=new Array(n),s,a;for(s=0;s<n;++s)a=mt(t[s]),r[s]=a.r||0,o[s]=a.g||0,i[s]=a.b||0;return r=e(r),o=e(o),i=e(i),a.opacity=1,function(l){return a.r=r(l),a.g=o(l),a.b=i(l),a+""}}}var Vp=pi($l),Op=pi(vl);function Sl(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),o;return function(i){for(o=0;o<n;++o)r[o]=e[o]*(1-i)+t[o]*i;return r}}function Tl(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function Ml(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,o=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)o[s]=pn(e[s],t[s]);for(;s<n;++s)i[s]=t[s];return function(a){for(s=0;s<r;++s)i[s]=o[s](a);return i}}function El(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function K(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function _l(e,t){var n={},r={},o;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(o in t)o in e?n[o]=pn(e[o],t[o]):r[o]=t[o];return function(i){for(o in n)r[o]=n[o](i);return r}}var ur=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,cr=new RegExp(ur.source,"g");function Nl(e){return function(){return e}}function Rl(e){return function(t){return e(t)+""}}function Cl(e,t){var n=ur.lastIndex=cr.lastIndex=0,r,o,i,s=-1,a=[],l=[];for(e=e+"",t=t+"";(r=ur.exec(e))&&(o=cr.exec(t));)(i=o.index)>n&&(i=t.slice(n,i),a[s]?a[s]+=i:a[++s]=i),(r=r[0])===(o=o[0])?a[s]?a[s]+=o:a[++s]=o:(a[++s]=null,l.push({i:s,x:K(r,o)})),n=cr.lastIndex;return n<t.length&&(i=t.slice(n),a[s]?a[s]+=i:a[++s]=i),a.length<2?l[0]?Rl(l[0].x):Nl(t):(t=l.length,function(c){for(var u=0,d;u<t;++u)a[(d=l[u]).i]=d.x(c);return a.join("")})}function pn(e,t){var n=typeof t,r;return t==null||n==="boolean"?dn(t):(n==="number"?K:n==="string"?(r=Ke(t))?(t=r,ai):Cl:t instanceof Ke?ai:t instanceof Date?El:Tl(t)?Sl:Array.isArray(t)?Ml:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?_l:K)(e,t)}function mi(e,t){return e=+e,t=+t,function(n){return Math.round(e*(1-n)+t*n)}}var li=180/Math.PI,dr={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function hi(e,t,n,r,o,i){var s,a,l;return(s=Math.sqrt(e*e+t*t))&&(e/=s,t/=s),(l=e*n+t*r)&&(n-=e*l,r-=t*l),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,l/=a),e*r<t*n&&(e=-e,t=-t,l=-l,s=-s),{translateX:o,translateY:i,rotate:Math.atan2(t,e)*li,skewX:Math.atan(l)*li,scaleX:s,scaleY:a}}var un;function Pl(e){let t=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(e+"");return t.isIdentity?dr:hi(t.a,t.b,t.c,t.d,t.e,t.f)}function Il(e){return e==null||(un||(un=document.createElementNS("http://www.w3.org/2000/svg","g")),un.setAttribute("transform",e),!(e=un.transform.baseVal.consolidate()))?dr:(e=e.matrix,hi(e.a,e.b,e.c,e.d,e.e,e.f))}function fi(e,t,n,r){function o(c){return c.length?c.pop()+" ":""}function i(c,u,d,m,h,f){if(c!==d||u!==m){var b=h.push("translate(",null,t,null,n);f.push({i:b-4,x:K(c,d)},{i:b-2,x:K(u,m)})}else(d||m)&&h.push("translate("+d+t+m+n)}function s(c,u,d,m){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),m.push({i:d.push(o(d)+"rotate(",null,r)-2,x:K(c,u)})):u&&d.push(o(d)+"rotate("+u+r)}function a(c,u,d,m){c!==u?m.push({i:d.push(o(d)+"skewX(",null,r)-2,x:K(c,u)}):u&&d.push(o(d)+"skewX("+u+r)}function l(c,u,d,m,h,f){if(c!==d||u!==m){var b=h.push(o(h)+"scale(",null,",",null,")");f.push({i:b-4,x:K(c,d)},{i:b-2,x:K(u,m)})}else(d!==1||m!==1)&&h.push(o(h)+"scale("+d+","+m+")")}return function(c,u){var d=[],m=[];return c=e(c),u=e(u),i(c.translateX,c.translateY,u.translateX,u.translateY,d,m),s(c.rotate,u.rotate,d,m),a(c.skewX,u.skewX,d,m),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,d,m),c=u=null,function(h){for(var f=-1,b=m.length,x;++f<b;)d[(x=m[f]).i]=x.x(h);return d.join("")}}}var Up=fi(Pl,"px, ","px)","deg)"),qp=fi(Il,", ",")",")"),Ll=1e-12;function ci(e){return((e=Math.exp(e))+1/e)/2}function Hl(e){return((e=Math.exp(e))-1/e)/2}function zl(e){return((e=Math.exp(2*e))-1)/(e+1)}var Fp=(function e(t,n,r){function o(i,s){var a=i[0],l=i[1],c=i[2],u=s[0],d=s[1],m=s[2],h=u-a,f=d-l,b=h*h+f*f,x,w;if(b<Ll)w=Math.log(m/c)/t,x=function(A){return[a+A*h,l+A*f,c*Math.exp(t*A*w)]};else{var k=Math.sqrt(b),H=(m*m-c*c+r*b)/(2*c*n*k),V=(m*m-c*c-r*b)/(2*m*n*k),ie=Math.log(Math.sqrt(H*H+1)-H),z=Math.log(Math.sqrt(V*V+1)-V);w=(z-ie)/t,x=function(A){var T=A*w,E=ci(ie),C=c/(n*k)*(E*zl(t*T+ie)-Hl(ie));return[a+C*h,l+C*f,c*E/ci(t*T+ie)]}}return x.duration=Math.abs(w)*1e3*t/Math.SQRT2,x}return o.rho=function(i){var s=Math.max(.001,+i),a=s*s,l=a*a;return e(s,a,l)},o})(Math.SQRT2,2,4);function gi(e){return function(t,n){var r=e((t=sn(t)).h,(n=sn(n)).h),o=q(t.s,n.s),i=q(t.l,n.l),s=q(t.opacity,n.opacity);return function(a){return t.h=r(a),t.s=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Dp=gi(pr),jp=gi(q);function bi(e){return function(t,n){var r=e((t=an(t)).h,(n=an(n)).h),o=q(t.c,n.c),i=q(t.l,n.l),s=q(t.opacity,n.opacity);return function(a){return t.h=r(a),t.c=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Bp=bi(pr),Wp=bi(q);function xi(e){return(function t(n){n=+n;function r(o,i){var s=e((o=cn(o)).h,(i=cn(i)).h),a=q(o.s,i.s),l=q(o.l,i.l),c=q(o.opacity,i.opacity);return function(u){return o.h=s(u),o.s=a(u),o.l=l(Math.pow(u,n)),o.opacity=c(u),o+""}}return r.gamma=t,r})(1)}var Gp=xi(pr),Kp=xi(q);function mr(e){return function(){return e}}function hr(e){return+e}var yi=[0,1];function Ye(e){return e}function fr(e,t){return(t-=e=+e)?function(n){return(n-e)/t}:mr(isNaN(t)?NaN:.5)}function Vl(e,t){var n;return e>t&&(n=e,e=t,t=n),function(r){return Math.max(e,Math.min(t,r))}}function Ol(e,t,n){var r=e[0],o=e[1],i=t[0],s=t[1];return o<r?(r=fr(o,r),i=n(s,i)):(r=fr(r,o),i=n(i,s)),function(a){return i(r(a))}}function Ul(e,t,n){var r=Math.min(e.length,t.length)-1,o=new Array(r),i=new Array(r),s=-1;for(e[r]<e[0]&&(e=e.slice().reverse(),t=t.slice().reverse());++s<r;)o[s]=fr(e[s],e[s+1]),i[s]=n(t[s],t[s+1]);return function(a){var l=Co(e,a,1,r)-1;return i[l](o[l](a))}}function wi(e,t){return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown())}function ql(){var e=yi,t=yi,n=pn,r,o,i,s=Ye,a,l,c;function u(){var m=Math.min(e.length,t.length);return s!==Ye&&(s=Vl(e[0],e[m-1])),a=m>2?Ul:Ol,l=c=null,d}function d(m){return m==null||isNaN(m=+m)?i:(l||(l=a(e.map(r),t,n)))(r(s(m)))}return d.invert=function(m){return s(o((c||(c=a(t,e.map(r),K)))(m)))},d.domain=function(m){return arguments.length?(e=Array.from(m,hr),u()):e.slice()},d.range=function(m){return arguments.length?(t=Array.from(m),u()):t.slice()},d.rangeRound=function(m){return t=Array.from(m),n=mi,u()},d.clamp=function(m){return arguments.length?(s=m?!0:Ye,u()):s!==Ye},d.interpolate=function(m){return arguments.length?(n=m,u()):n},d.unknown=function(m){return arguments.length?(i=m,d):i},function(m,h){return r=m,o=h,u()}}function gr(){return ql()(Ye,Ye)}function Fl(e){return Math.abs(e=Math.round(e))>=1e21?e.toLocaleString("en").replace(/,/g,""):e.toString(10)}function hn(e,t){if(!isFinite(e)||e===0)return null;var n=(e=t?e.toExponential(t-1):e.toExponential()).indexOf("e"),r=e.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+e.slice(n+1)]}function Xe(e){return e=hn(Math.abs(e)),e?e[1]:NaN}function Dl(e,t){return function(n,r){for(var o=n.length,i=[],s=0,a=e[0],l=0;o>0&&a>0&&(l+a+1>r&&(a=Math.max(1,r-l)),i.push(n.substring(o-=a,o+a)),!((l+=a+1)>r));)a=e[s=(s+1)%e.length];return i.reverse().join(t)}}function jl(e){return function(t){return t.replace(/[0-9]/g,function(n){return e[+n]})}}var Bl=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function ht(e){if(!(t=Bl.exec(e)))throw new Error("invalid format: "+e);var t;return new br({fill:t[1],align:t[2],sign:t[3],symbol:t[4],zero:t[5],width:t[6],comma:t[7],precision:t[8]&&t[8].slice(1),trim:t[9],type:t[10]})}ht.prototype=br.prototype;function br(e){this.fill=e.fill===void 0?" ":e.fill+"",this.align=e.align===void 0?">":e.align+"",this.sign=e.sign===void 0?"-":e.sign+"",this.symbol=e.symbol===void 0?"":e.symbol+"",this.zero=!!e.zero,this.width=e.width===void 0?void 0:+e.width,this.comma=!!e.comma,this.precision=e.precision===void 0?void 0:+e.precision,this.trim=!!e.trim,this.type=e.type===void 0?"":e.type+""}br.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function Wl(e){e:for(var t=e.length,n=1,r=-1,o;n<t;++n)switch(e[n]){case".":r=o=n;break;case"0":r===0&&(r=n),o=n;break;default:if(!+e[n])break e;r>0&&(r=0);break}return r>0?e.slice(0,r)+e.slice(o+1):e}var fn;function Gl(e,t){var n=hn(e,t);if(!n)return fn=void 0,e.toPrecision(t);var r=n[0],o=n[1],i=o-(fn=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,s=r.length;return i===s?r:i>s?r+new Array(i-s+1).join("0"):i>0?r.slice(0,i)+"."+r.slice(i):"0."+new Array(1-i).join("0")+hn(e,Math.max(0,t+i-1))[0]}function $i(e,t){var n=hn(e,t);if(!n)return e+"";var r=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+r:r.length>o+1?r.slice(0,o+1)+"."+r.slice(o+1):r+new Array(o-r.length+2).join("0")}var vi={"%":(e,t)=>(e*100).toFixed(t),b:e=>Math.round(e).toString(2),c:e=>e+"",d:Fl,e:(e,t)=>e.toExponential(t),f:(e,t)=>e.toFixed(t),g:(e,t)=>e.toPrecision(t),o:e=>Math.round(e).toString(8),p:(e,t)=>$i(e*100,t),r:$i,s:Gl,X:e=>Math.round(e).toString(16).toUpperCase(),x:e=>Math.round(e).toString(16)};function ki(e){return e}var Ai=Array.prototype.map,Si=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function Kl(e){var t=e.grouping===void 0||e.thousands===void 0?ki:Dl(Ai.call(e.grouping,Number),e.thousands+""),n=e.currency===void 0?"":e.currency[0]+"",r=e.currency===void 0?"":e.currency[1]+"",o=e.decimal===void 0?".":e.decimal+"",i=e.numerals===void 0?ki:jl(Ai.call(e.numerals,String)),s=e.percent===void 0?"%":e.percent+"",a=e.minus===void 0?"−":e.minus+"",l=e.nan===void 0?"NaN":e.nan+"";function c(d,m){d=ht(d);var h=d.fill,f=d.align,b=d.sign,x=d.symbol,w=d.zero,k=d.width,H=d.comma,V=d.precision,ie=d.trim,z=d.type;z==="n"?(H=!0,z="g"):vi[z]||(V===void 0&&(V=12),ie=!0,z="g"),(w||h==="0"&&f==="=")&&(w=!0,h="0",f="=");var A=(m&&m.prefix!==void 0?m.prefix:"")+(x==="$"?n:x==="#"&&/[boxX]/.test(z)?"0"+z.toLowerCase():""),T=(x==="$"?r:/[%p]/.test(z)?s:"")+(m&&m.suffix!==void 0?m.suffix:""),E=vi[z],C=/[defgprs%]/.test(z);V=V===void 0?6:/[gprs]/.test(z)?Math.max(1,Math.min(21,V)):Math.max(0,Math.min(20,V));function se(S){var Z=A,U=T,Oe,jr,Et;if(z==="c")U=E(S)+U,S="";else{S=+S;var _t=S<0||1/S<0;if(S=isNaN(S)?l:E(Math.abs(S),V),ie&&(S=Wl(S)),_t&&+S==0&&b!=="+"&&(_t=!1),Z=(_t?b==="("?b:a:b==="-"||b==="("?"":b)+Z,U=(z==="s"&&!isNaN(S)&&fn!==void 0?Si[8+fn/3]:"")+U+(_t&&b==="("?")":""),C){for(Oe=-1,jr=S.length;++Oe<jr;)if(Et=S.charCodeAt(Oe),48>Et||Et>57){U=(Et===46?o+S.slice(Oe+1):S.slice(Oe))+U,S=S.slice(0,Oe);break}}}H&&!w&&(S=t(S,1/0));var Nt=Z.length+S.length+U.length,ae=Nt<k?new Array(k-Nt+1).join(h):"";switch(H&&w&&(S=t(ae+S,ae.length?k-U.length:1/0),ae=""),f){case"<":S=Z+S+U+ae;break;case"=":S=Z+ae+S+U;break;case"^":S=ae.slice(0,Nt=ae.length>>1)+Z+S+U+ae.slice(Nt);break;default:S=ae+Z+S+U;break}return i(S)}return se.toString=function(){return d+""},se}function u(d,m){var h=Math.max(-8,Math.min(8,Math.floor(Xe(m)/3)))*3,f=Math.pow(10,-h),b=c((d=ht(d),d.type="f",d),{suffix:Si[8+h/3]});return function(x){return b(f*x)}}return{format:c,formatPrefix:u}}var mn,xr,yr;Yl({thousands:",",grouping:[3],currency:["$",""]});function Yl(e){return mn=Kl(e),xr=mn.format,yr=mn.formatPrefix,mn}function Ti(e){return Math.max(0,-Xe(Math.abs(e)))}function Mi(e,t){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(Xe(t)/3)))*3-Xe(Math.abs(e)))}function Ei(e,t){return e=Math.abs(e),t=Math.abs(t)-e,Math.max(0,Xe(t)-Xe(e))+1}function wr(e,t,n,r){var o=Ho(e,t,n),i;switch(r=ht(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(e),Math.abs(t));return r.precision==null&&!isNaN(i=Mi(o,s))&&(r.precision=i),yr(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(i=Ei(o,Math.max(Math.abs(e),Math.abs(t))))&&(r.precision=i-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(i=Ti(o))&&(r.precision=i-(r.type==="%")*2);break}}return xr(r)}function Xl(e){var t=e.domain;return e.ticks=function(n){var r=t();return Lo(r[0],r[r.length-1],n??10)},e.tickFormat=function(n,r){var o=t();return wr(o[0],o[o.length-1],n??10,r)},e.nice=function(n){n==null&&(n=10);var r=t(),o=0,i=r.length-1,s=r[o],a=r[i],l,c,u=10;for(a<s&&(c=s,s=a,a=c,c=o,o=i,i=c);u-- >0;){if(c=en(s,a,n),c===l)return r[o]=s,r[i]=a,t(r);if(c>0)s=Math.floor(s/c)*c,a=Math.ceil(a/c)*c;else if(c<0)s=Math.ceil(s*c)/c,a=Math.floor(a*c)/c;else break;l=c}return e},e}function ne(){var e=gr();return e.copy=function(){return wi(e,ne())},zo.apply(e,arguments),Xl(e)}var Ql={"<s>":"‹start›","</s>":"‹end›","∅":"‹empty slot›"};function Y(e){return Ql[e]??_i(e.replaceAll("▁","·"))}function R(e){return e.startsWith("▁")&&e.length>1?Y(e.slice(1)):/^[\p{L}\p{N}]/u.test(e)?`‑${Y(e)}`:Y(e)}function _i(e){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(e)?e:Array.from(e,t=>`U+${t.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function P(e,t,n){let{spans:r}=t,o=Array.from(t.text),i=new Set(t.word_pieces.flat()),s=c=>!i.has(c)&&r[c][0]===r[c][1],a=t.pieces.map((c,u)=>({label:Y(c),positions:[u],special:s(u),span:r[u]}));if(n==="pieces")return{name:e,text:o,units:a};let l=t.words.map((c,u)=>({label:_i(o.slice(...c).join("")),positions:t.word_pieces[u],special:!1,span:c}));return{name:e,text:o,units:[...l,...a.filter((c,u)=>!i.has(u))]}}function Jl(e,t,n){let r=P("target",e,t),o=n?["∅","<s>"]:["<s>"],i=r.units.flatMap(a=>{let l=a.positions.map(c=>c+o.length).filter(c=>c<e.pieces.length);return l.length?[{...a,positions:l}]:[]}),s=o.slice(0,e.pieces.length).map((a,l)=>({label:Y(a),positions:[l],special:!0,span:null}));return{...r,name:"prefix",units:[...s,...i]}}function Zl(e){let t=Array.from({length:e.rows*e.columns},(n,r)=>({label:`row ${Math.floor(r/e.columns)+1}, column ${r%e.columns+1}`,positions:[r],special:!1,span:null}));return{name:"image",text:[],units:t}}function $r(e,t,n){let{kind:r,blank_memory:o}=t,i=P("target",e.target,n);if(r==="self")return[i,Jl(e.target,n,o)];if(e.source===null)throw new Error(`The record is damaged: it has ${r} attention but no source.`);let s=e.source.kind==="image"?Zl(e.source):P("source",e.source,n);return r==="encoder"?[s,s]:[i,s]}function Ni(e,t,n,r,o){let[i,s]=$r(e,t,o),a=1+Math.max(...s.units.flatMap(m=>m.positions)),l=B(e.numbers(t.weights),t.heads,n),c=l.length/a,u=new Float32Array(i.units.length*s.units.length);i.units.forEach((m,h)=>{let f=m.positions.map(b=>b+r).filter(b=>b<c);s.units.forEach((b,x)=>{let w=0;for(let k of f)for(let H of b.positions)w+=l[k*a+H];u[h*s.units.length+x]=w/f.length})});let d=s.units.length;return{rows:i,columns:s,weights:u,row:m=>u.subarray(m*d,(m+1)*d)}}function B(e,t,n){let r=e.length/t;if(typeof n=="number")return e.subarray(n*r,(n+1)*r);let o=new Float32Array(r);for(let i=0;i<t;i++)for(let s=0;s<r;s++){let a=e[i*r+s];o[s]=n==="mean"?o[s]+a/t:Math.max(o[s],a)}return o}function ge(e,t){return Math.max(0,e.units.findIndex(n=>n.positions.includes(t)))}function Ci(e,t){let r={...{view:t,record:0,attention:"",head:"mean",shift:0,userSelected:!1,units:"words",specialTokens:!0,row:0,column:-1,by:"row",stage:5,started:!1,detail:null,temperature:1,playing:!1,speed:1,options:!1,sort:"layer",node:null,pruned:!1,intervention:0,grid:!1},...O(e[0])},o=ec(e[0],r);return t!=="stage"?{...r,stage:0,row:o}:{...r,row:Math.min(o+r.shift,e[0].steps.length-1)}}function ec(e,t){let n=N(e,t.attention);if(n?.kind!=="cross"||e.source?.kind!=="text")return 0;let{rows:r,columns:o,row:i}=Le(e,n,t.head,t.shift,"words"),s=r.units.map(({label:c,special:u})=>u?0:tc(c)),a=Math.min(4,Math.max(...s)),l=r.units.map((c,u)=>{if(!s[u]||s[u]<a)return-1;let d=M(i(u)),m=Math.abs(d/o.units.length-u/r.units.length);return o.units[d].special?0:i(u)[d]*m||0});return r.units[M(l)]?.positions[0]??0}function tc(e){return e.match(/[\p{L}\p{N}]/gu)?.length??0}function O(e){let{alignment_head:t,head_trace:n,attentions:r}=e,o=r.filter(({kind:l})=>l==="cross").at(-1)??r.at(-1),i=t?.attention??n?.attention??o?.name??"",a=N(e,i)?.heads===1?0:(t??n)?.head??"mean";return{attention:i,head:a,shift:t?.shift??0,userSelected:!1}}function N(e,t){return e.attentions.find(n=>n.name===t)}function be({record:e,selection:t}){let n=N(e,t.attention);if(!n)return null;let r=n.kind==="cross"?t.shift:0;return Le(e,n,t.head,r,t.units)}function ft(e){let{attention:t,head:n,shift:r}=O(e),o=N(e,t);return o?.kind==="cross"?Le(e,o,n,r,"words"):null}function xe(e,t){let n=ge(e.rows,t.row),r=t.column<0?M(e.row(n)):ge(e.columns,t.column);return{row:n,column:r}}var Ri=new WeakMap;function Le(e,t,n,r,o){let i=Ri.get(e)??new Map;Ri.set(e,i);let s=`${t.name} ${n} ${r} ${o}`,a=i.get(s)??Ni(e,t,n,r,o);return i.set(s,a),a}var Pi="Attention weights do not explain why the model chose a word.",Qe={cross:"Cross-attention",self:"Decoder self-attention",encoder:"Encoder self-attention"},vr=["at output","at next input"];function y(e){return p`<data class="number" data-value=${e} value=${e}>${_(e)}</data>`}function _(e){if(Number.isNaN(e))return"–";if(e===Number.NEGATIVE_INFINITY)return"−∞";let t=e.toFixed(3).replace("-","−");return t==="−0.000"?t.slice(1):t}function $(e){return p`<bdi class="token" dir="auto">${e}</bdi>`}function gt(e){return typeof e=="number"?String(e+1):e}function He(e,{kind:t,layer:n,heads:r},{head:o,shift:i}){let s=new Set(e.attentions.filter(l=>l.kind===t).map(l=>l.layer)).size,a=[`layer ${n+1} of ${s}`];return r===1?a.push("one head"):typeof o=="number"?a.push(`head ${o+1} of ${r}`):a.push(`${o==="mean"?"mean":"maximum"} of ${r} heads`),t==="cross"&&a.push(vr[i]),`${Qe[t]}: ${a.join(", ")}`}function Ii(e,t){let n=e.alignment_head?.agreement,{attention:r,head:o,shift:i}=O(e),s=r===t.attention&&o===t.head&&i===t.shift;return n===void 0||!s?t.userSelected?"selected by you":"":n?p`the alignment head: its links agree best with the word aligner (F1 ${y(n)})`:"the alignment head of the model bundle"}function gn(e,t){let n=e.row(t),r=$(e.rows.units[t].label);if(Number.isNaN(n[0]))return p`${r} has no weights at this step: no input follows it.`;let o=a=>$(e.columns.units[a].label),[i,s]=W(n);return p`${r} attends most to ${o(i)} ${y(n[i])}${s===void 0||n[s]<.005?"":p`, then to ${o(s)} ${y(n[s])}`}`}function bn(e,t){let n=$(e.columns.units[t].label),r=e.rows.units.map((a,l)=>e.row(l)[t]||0),o=a=>$(e.rows.units[a].label),[i,s]=W(r);return r[i]>=.005?p`${n} gets the highest weight from ${o(i)}
  ${y(r[i])}${s===void 0||r[s]<.005?"":p`, then from ${o(s)} ${y(r[s])}`}`:p`No word attends to ${n}: all its weights are below ${y(.005)}`}function bt({selection:e,change:t},n,r){let{units:o,scores:i,weights:s,norms:a}=n,l=s.map((x,w)=>x*a[w]),c=Array.from(i??[]).filter(Number.isFinite),u=ne().domain([Math.min(0,...c),Math.max(0,...c)]).range([0,100]),d=ne().domain([0,Math.max(...l)||1]).range([0,100]),m=ne().domain([0,Math.max(1,...s)]).range([0,100]),h=x=>t({column:x},`[data-position="${x}"]`),f=x=>{let w={ArrowDown:1,ArrowUp:-1}[x.key],k=w===void 0?-1:r+w;k<0||k>=o.length||(x.preventDefault(),h(k))},b=x=>e.stage===x?"current":"";return p`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${b(1)}>score</th><th scope="col" class=${b(2)}>weight</th>
      <th scope="col" class=${b(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${f}>
      ${o.map(({label:x,special:w},k)=>p`<tr class=${k===r?"here":""}>
          <th scope="row"><button data-position=${k} tabindex=${k===r?0:-1} title=${x}
            aria-pressed=${k===r} ?data-special=${w} @click=${()=>h(k)}><bdi dir="auto">${x}</bdi></button></th>
          <td class=${b(1)} data-testid="score">${i===null?"–":xn(u(0),u(Number.isFinite(i[k])?i[k]:0),i[k])}</td>
          <td class=${b(2)} data-testid="weight">${xn(0,m(s[k]),s[k])}</td>
          <td class=${b(3)} data-testid="contribution">${xn(0,d(l[k]),l[k])}</td>
        </tr>`)}
    </tbody></table></div>`}function Je(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.some(([s])=>s===n)?r:[...r,[n,o]];return p`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${i.map(([s,a])=>p`<tr class=${s===n?"target-row":""} data-piece=${s}>
        <th scope="row">${$(R(s))}${s===n?p` <span class="soft small">output</span>`:""}</th>
        <td data-testid="probability">${xn(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function xn(e,t,n){let[r,o]=e<t?[e,t]:[t,e];return p`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${o-r}%`}></i></span>${y(n)}`}var Li=v`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: var(--small); }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: var(--small); float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--hue, var(--soft)); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .bars [data-testid="weight"] { --hue: var(--weight); }
  .bars [data-testid="contribution"] { --hue: var(--value); }
  .outcome .bar i { background: color-mix(in srgb, var(--output) 40%, var(--paper)); }
  .outcome .target-row .bar i { background: var(--output); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;function nc(e){var t=0,n=e.children,r=n&&n.length;if(!r)t=1;else for(;--r>=0;)t+=n[r].value;e.value=t}function Hi(){return this.eachAfter(nc)}function zi(e,t){let n=-1;for(let r of this)e.call(t,r,++n,this);return this}function Vi(e,t){for(var n=this,r=[n],o,i,s=-1;n=r.pop();)if(e.call(t,n,++s,this),o=n.children)for(i=o.length-1;i>=0;--i)r.push(o[i]);return this}function Oi(e,t){for(var n=this,r=[n],o=[],i,s,a,l=-1;n=r.pop();)if(o.push(n),i=n.children)for(s=0,a=i.length;s<a;++s)r.push(i[s]);for(;n=o.pop();)e.call(t,n,++l,this);return this}function Ui(e,t){let n=-1;for(let r of this)if(e.call(t,r,++n,this))return r}function qi(e){return this.eachAfter(function(t){for(var n=+e(t.data)||0,r=t.children,o=r&&r.length;--o>=0;)n+=r[o].value;t.value=n})}function Fi(e){return this.eachBefore(function(t){t.children&&t.children.sort(e)})}function Di(e){for(var t=this,n=rc(t,e),r=[t];t!==n;)t=t.parent,r.push(t);for(var o=r.length;e!==n;)r.splice(o,0,e),e=e.parent;return r}function rc(e,t){if(e===t)return e;var n=e.ancestors(),r=t.ancestors(),o=null;for(e=n.pop(),t=r.pop();e===t;)o=e,e=n.pop(),t=r.pop();return o}function ji(){for(var e=this,t=[e];e=e.parent;)t.push(e);return t}function Bi(){return Array.from(this)}function Wi(){var e=[];return this.eachBefore(function(t){t.children||e.push(t)}),e}function Gi(){var e=this,t=[];return e.each(function(n){n!==e&&t.push({source:n.parent,target:n})}),t}function*Ki(){var e=this,t,n=[e],r,o,i;do for(t=n.reverse(),n=[];e=t.pop();)if(yield e,r=e.children)for(o=0,i=r.length;o<i;++o)n.push(r[o]);while(n.length)}function Ze(e,t){e instanceof Map?(e=[void 0,e],t===void 0&&(t=sc)):t===void 0&&(t=ic);for(var n=new xt(e),r,o=[n],i,s,a,l;r=o.pop();)if((s=t(r.data))&&(l=(s=Array.from(s)).length))for(r.children=s,a=l-1;a>=0;--a)o.push(i=s[a]=new xt(s[a])),i.parent=r,i.depth=r.depth+1;return n.eachBefore(lc)}function oc(){return Ze(this).eachBefore(ac)}function ic(e){return e.children}function sc(e){return Array.isArray(e)?e[1]:null}function ac(e){e.data.value!==void 0&&(e.value=e.data.value),e.data=e.data.data}function lc(e){var t=0;do e.height=t;while((e=e.parent)&&e.height<++t)}function xt(e){this.data=e,this.depth=this.height=0,this.parent=null}xt.prototype=Ze.prototype={constructor:xt,count:Hi,each:zi,eachAfter:Oi,eachBefore:Vi,find:Ui,sum:qi,sort:Fi,path:Di,ancestors:ji,descendants:Bi,leaves:Wi,links:Gi,copy:oc,[Symbol.iterator]:Ki};function de(e){return p`<p class="placeholder" data-testid="placeholder">${e}</p>`}function re(e){let t=e.summary===null?0:e.numbers(e.summary).length;return de(p`<strong>${e.model.name}</strong> has no attention${t?p`. The decoder gets the source only as one vector of ${t} numbers, before its first
          word`:""}. The beam search and intervention views work if the record has their data.`)}var cc=128,uc=100,dc=600,pc=20,kr=58,mc=46,et=-1;function Yi(e){let{record:t,selection:n,change:r}=e,{beam:o}=t;if(!o)return de(p`This record has no beam search: the target was ${t.created.search==="given"?"given by the user":`found by ${t.created.search??"another search"}`}.`);let i=e.width<dc?uc:cc,s=fc(o,n.pruned,i+pc),a=o.status.filter(u=>u==="pruned").length,l=o.best.at(-1)??et,c=s.some(({data:u})=>u.node===n.node)?n.node??l:l;return p`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${n.pruned}
        @change=${()=>r({pruned:!n.pruned})}> show ${a} pruned candidates</label>
      <p class="note">Beam size ${o.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${o.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${hc(e,o,c)} ${yc(e,o,c)} ${gc(e,o,s,c,i)}
    <p class="legend small soft"><span>in a node: probability, and total log-probability</span> <span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${n.pruned?p`<span><i class="node pruned key-node"></i> pruned</span>`:p`<span>+3: number of pruned candidates</span>`}</p>`}function hc({change:e},t,n){return p`<div class="pair wrap" role="group" aria-label="steps of the best path">
    ${t.best.map((r,o)=>p`<button data-testid="beam-step" aria-pressed=${r===n}
        title=${R(t.pieces[r])}
        @click=${()=>e({node:r},`[data-node="${r}"]`)}>${o+1}</button>`)}</div>`}function fc(e,t,n){let r=[et,...e.parents.keys()].map(c=>({node:c,children:[],hidden:0}));e.parents.forEach((c,u)=>{let d=r[c+1];e.status[u]==="pruned"&&!t?d.hidden++:d.children.push(r[u+1])});let o=new Set(e.best),i=({node:c})=>o.has(c)?Number.POSITIVE_INFINITY:e.totals[c];for(let{children:c}of r)c.sort((u,d)=>i(u)<i(d)?1:-1);let s=Ze(r[0]),a=[],l=(c,u)=>{let d=[c];for(let f=c.children?.[0];f;f=f.children?.[0])d.push(f);let m=u,h=d[d.length-1].depth;for(;(a[m]??Number.POSITIVE_INFINITY)<=h;)m++;a[m]=c.depth;for(let f of d)Object.assign(f,{x:m*kr,y:f.depth*n});for(let f of d.reverse())for(let b of f.children?.slice(1)??[])l(b,m+1)};return l(s,0),s.descendants()}function gc(e,t,n,r,o){let i=Math.max(...n.map(h=>h.x))+kr,s=Math.max(...n.map(h=>h.y))+o+24,a=new Set([et,...t.best]),l=({data:h})=>a.has(h.node),c=h=>h.x+kr/2,u=n.filter(h=>h.parent).sort((h,f)=>Number(l(h))-Number(l(f))).map(h=>{let f=h.parent,[b,x,w,k]=[f.y+o,c(f),h.y,c(h)];return qt`<path class=${l(h)?"best":""} d=${`M${b} ${x}C${b+12} ${x} ${w-12} ${k} ${w} ${k}`} />`}),d=(h,f=!0)=>e.change({node:h},f?`[data-node="${h}"]`:void 0),m=h=>{let f=bc(h.key,n,r);f!==void 0&&(h.preventDefault(),d(f))};return p`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${i}px`}>
      <svg aria-hidden="true" width=${s} height=${i}>${u}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${m}>
        ${n.map(h=>{let{node:f,hidden:b}=h.data,x=f===et,w=x?"kept":t.status[f],k=R(x?"<s>":t.pieces[f]),H=x?1:Math.exp(t.logps[f]);return p`<div role="treeitem" class="node ${w} ${l(h)?"best":""}" data-testid="node"
            data-node=${f} data-status=${w} data-best=${l(h)} tabindex=${f===r?0:-1}
            aria-selected=${f===r} aria-level=${h.depth+1} title=${k}
            @click=${()=>d(f)} .style=${`left:${h.y}px;top:${c(h)-mc/2}px;width:${o}px`}>
            <bdi dir="auto">${k}</bdi>${x?g:p`<small title="probability">${y(H)}</small
            ><small class="total" title="total log-probability">${y(t.totals[f])}</small>`}
            ${b?p`<span class="pruned-count">+${b}<span class="hidden"> pruned</span></span>`:g}
            <span class="hidden">${x?"":w}${l(h)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function bc(e,t,n){let r=t.find(({data:a})=>a.node===n);if(!r)return;let o=t.filter(({depth:a})=>a===r.depth).sort((a,l)=>a.x-l.x),i=o.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:o[i-1],ArrowDown:o[i+1],Home:t[0],End:t.reduce((a,l)=>l.depth>a.depth?l:a)}[e]?.data.node}var xc={kept:"is extended at the next step",pruned:"is pruned: other candidates score higher",finished:"is a finished hypothesis"};function yc(e,t,n){if(n===et)return p`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;let r=[];for(let c=n;c!==et;c=t.parents[c])r.unshift(c);let i=r.map(c=>t.pieces[c]).filter(c=>c!=="</s>").join("").replaceAll("▁"," ").trim()||"The empty output",s=t.best.indexOf(n),a=t.totals[n],l=()=>e.change({view:"trace",row:s,column:-1,stage:0},"#tab-trace");return p`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${$(i)} ${xc[t.status[n]]}.</p>
    <p class="note">log-probability of the last piece ${y(t.logps[n])}; total ${y(a)};
      score at length ${r.length}: ${y(a/r.length**t.length_penalty)}
      ${s>=0?p`<button data-testid="to-trace" @click=${l}>
              Show this step</button>`:g}</p>
  </div>`}var Xi=v`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 46px; display: grid; grid-template-columns: auto 1fr; align-items: center;
    column-gap: 0.3rem; padding: 0 0.4rem; line-height: 1.2;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: var(--small); cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; grid-column: 1 / 3; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: var(--tiny); }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node .total { text-align: end; }
  .node.best small { color: var(--ink); }
  .key-node { min-height: 0; }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: var(--tiny); line-height: 1;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;var Ji=matchMedia("(prefers-color-scheme: dark)"),Qi=e=>ne().domain([0,.5,1]).range(e).clamp(!0),Ar={light:Qi(Jn.light),dark:Qi(Jn.dark)};function X(){return Ji.matches?Ar.dark:Ar.light}var Zi=Ar.light;function ye(e,t){let n=Ji.matches?Bt:jt;return ne().domain([-(e||1),0,e||1]).range([n.negative,n.paper,n[t]]).clamp(!0)}function yt(e){return wc(wt(e))>.179?"#000000":"#ffffff"}function Q(e){if(!(e>=.005))return"";let t=X()(e);return`background:${t};color:${e<.2?"var(--ink)":yt(t)}`}function yn(e=X()){return`background:linear-gradient(90deg,${Array.from({length:17},(t,n)=>e(n/16)).join()})`}function wt(e){let t=/^#(..)(..)(..)$/.exec(e);return t?t.slice(1).map(n=>Number.parseInt(n,16)):(e.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function wc(e){let[t,n,r]=e.map(o=>{let i=o/255;return i<=.04045?i/12.92:((i+.055)/1.055)**2.4});return .2126*t+.7152*n+.0722*r}var $c=6,vc=2;function $n(e){return e.attentions.length?$c:vc}function wn({weights:e,norms:t}){let n=e.map((o,i)=>o*t[i]),r=n.reduce((o,i)=>o+i,0)||1;return n.map(o=>o/r)}function es(e,t,n){let{weights:r,detail:o,units:i}=t,s=e.target.pieces[t.step],a=d=>$(i[d].label),l=$(R(s)),c=$(R(e.target.pieces[t.step-1]??"<s>"));return[()=>p`Step ${t.step+1} of ${e.steps.length}: the decoder has read ${c}. To predict
      ${l}, it computes a query${o?.terms?p` of ${o.terms.query.length} numbers`:""}.`,()=>{if(!t.scores)return p`This is a combination of several heads, which has no scores.`;let d=t.scores.filter(h=>h>Number.NEGATIVE_INFINITY).length,m=M(t.scores);return p`${a(m)} has the highest score of ${d} positions,
        ${y(t.scores[m])}.`},()=>{let[d,m]=W(r);return p`${a(d)} gets the weight ${y(r[d])}${m===void 0?"":p`, ${a(m)} ${y(r[m])}`}.`},()=>{let d=wn(t),m=M(d);return p`Multiplied by the length of its value, ${a(m)} has the largest share,
        ${y(d[m])}.`},()=>{let d=wn(t),m=M(d);return p`${y(d[m])} of the context comes from ${a(m)}.`},()=>Sr(e,t.step)][n]()}function Sr(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.find(([s])=>s!==n);return p`The model outputs ${$(R(n))} with <i>p</i> =
    ${y(Math.exp(o))}${i?p`; the best alternative is ${$(R(i[0]))} ${y(Math.exp(i[1]))}`:""}.`}var kc=19,Ac={stage:.75,trace:1.6};function we(e){return e==="stage"||e==="trace"}function $t({target:e},t){return P("target",e,t).units.filter(({positions:n})=>n.length).sort((n,r)=>n.positions[0]-r.positions[0])}function vt(e,t){let n=e[t.record];if(t.view==="trace")return{steps:[...n.steps.keys()],stages:[...Array($n(n)).keys()]};let r=e.map(i=>$t(i,t.units)).reduce((i,s)=>s.length>i.length?s:i),o=e.some(({attentions:i})=>i.length);return{steps:r.map(({positions:i})=>i[0]),stages:o?[0,2,4,5]:[0,5]}}function vn({steps:e,stages:t},{row:n,stage:r}){let o=(i,s)=>i.filter(a=>a<=s).length-1;return{step:Math.max(0,o(e,n)),stage:Math.max(0,o(t,r))}}function ze(e,t,n){let r=vt(t,e),{step:o,stage:i}=vn(r,e),s=r.stages.length,a=r.steps.length*s-1,l=o*s+i,c=Math.max(0,Math.min(a,l+n));if(c===l)return{playing:!1};let u=r.steps[Math.floor(c/s)];return{...Math.floor(c/s)===o?{}:{row:u,column:-1},stage:r.stages[c%s],started:!0}}function Tr(e,t,n){let r=vt(t,e),{step:o}=vn(r,e),i=Math.max(0,Math.min(r.steps.length-1,o+n));return{...e.view==="stage"?{stage:5,started:!0}:{},row:r.steps[i],column:-1,playing:!1}}function kn(e,t){if(e.playing)return{playing:!1};let{playing:n}=ze(e,t,1);return{...n===!1||!e.started?{row:0,column:-1,stage:0}:{},playing:!0,started:!0,detail:null}}function An(e,t){if(!we(e.view))return 0;let{steps:n,stages:r}=vt(t,e),o=n.length*r.length;return Math.min(Ac[e.view],kc/o)/e.speed}function Sn(e){return e.attentions.filter(({kind:n})=>n==="cross").every(({span:n})=>n.name==="last")}function ts(e,t,n){let r=P("source",e.source,t.units),o=P("target",e.target,t.units),i=$t(e,t.units),{attention:s,head:a}=Sc(e,t),l=i[Math.min(n,i.length-1)],c=o.units.findIndex(({positions:u})=>u[0]===l.positions[0]);return{record:e,source:r,target:o,units:i,step:n,attention:s,head:a,bottleneck:Sn(e),vector:Sn(e)?Ec(e):null,weights:s?Le(e,s,a,0,t.units).row(c):r.units.map(()=>0),shares:s?Tc(e,s,a,r,l):r.units.map(()=>0),candidates:Mc(e,l,t.units)}}function Sc(e,t){let r=N(e,t.attention)?.kind==="cross"&&t.userSelected,{attention:o,head:i}=r?t:O(e),s=N(e,o),a=s?.kind==="cross"?s:e.attentions.filter(({kind:l})=>l==="cross").at(-1);return a?{attention:a,head:typeof i=="number"&&i>=a.heads?0:i}:{attention:null,head:i}}function Tc(e,t,n,r,o){let i=B(e.numbers(t.weights),t.heads,n),s=B(e.numbers(t.norms),t.heads,n),a=s.length,l=r.units.map(({positions:u})=>o.positions.flatMap(d=>u.map(m=>i[d*a+m]*s[m])).reduce((d,m)=>d+m,0)),c=l.reduce((u,d)=>u+d,0)||1;return l.map(u=>u/c)}function Mc(e,t,n){let[r]=t.positions,o=e.target.pieces[r],i=t.positions.reduce((l,c)=>l+e.steps[c].logp,0),s={label:t.label,piece:o,p:Math.exp(i),output:!0},a=e.steps[r].top.filter(([l])=>l!==o).map(([l,c])=>({label:n==="words"?R(l):Y(l),piece:l,p:Math.exp(c),output:!1}));return[s,...a].sort((l,c)=>c.p-l.p)}function Ec(e){if(e.summary!==null)return e.numbers(e.summary);let{head_trace:t}=e;if(!t)return null;let n=e.numbers(t.values),o=e.numbers(t.weights).length/e.steps.length,i=n.length/o;return n.subarray(n.length-i)}var{I:Th}=ao;var ns=e=>e.strings===void 0;var rs={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Mr=e=>(...t)=>({_$litDirective$:e,values:t}),Tn=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var kt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),kt(r,t);return!0},Mn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},os=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Rc(t)}};function _c(e){this._$AN!==void 0?(Mn(this),this._$AM=e,os(this)):this._$AM=e}function Nc(e,t=!1,n=0){let r=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(t)if(Array.isArray(r))for(let i=n;i<r.length;i++)kt(r[i],!1),Mn(r[i]);else r!=null&&(kt(r,!1),Mn(r));else kt(this,e)}var Rc=e=>{e.type==rs.CHILD&&(e._$AP??=Nc,e._$AQ??=_c)},En=class extends Tn{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),os(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(kt(this,t),Mn(this))}setValue(t){if(ns(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Er=new WeakMap,is=Mr(class extends En{render(e){return g}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),g}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Er.get(t);n===void 0&&(n=new WeakMap,Er.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Er.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var At=128;function St(e){return is(t=>{t&&e(t)})}function J(e,t,n,r=1){return St(o=>_r(o,e,t,n,r))}function _r(e,t,n,r,o){let i=n.length/t;e.width!==t&&(e.width=t),e.height!==i&&(e.height=i);let s=e.getContext("2d",{willReadFrequently:!0});if(!s||!t||!i)return;let a=Cc(r,o),l=s.createImageData(t,i),c=new Uint32Array(l.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/o));c[u]=a[Math.round(d*At)+At]}s.putImageData(l,0,0)}var ss=new WeakMap;function Cc(e,t){let n=ss.get(e);if(n)return n;let r=Uint32Array.from({length:2*At+1},(o,i)=>{let[s,a,l]=wt(e((i-At)/At*t));return 255<<24|l<<16|a<<8|s});return ss.set(e,r),r}function F(e){let{axis:t,side:n,current:r}=e,o=u=>`[data-side="${n}"][data-unit="${u}"]`,i=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(e.selected&&Number(d)===r)&&e.select?.(Number(d))},s=u=>{let d=Pc(u.key,r,t.units.length-1,tt(t)==="rtl");d!==null&&(u.preventDefault(),e.select?.(d,o(d)))},a=u=>p`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-special=${t.units[u].special}
    .style=${e.style(u)}>${t.units[u].label}</span>`,l=u=>p`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${e.value(u)??""}
    ?data-special=${t.units[u].special} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${e.selected&&u===r} aria-label=${e.label(u)}
    dir=${e.pieces?"auto":g} .style=${e.style(u)}>${t.units[u].label}</span>`,c=e.select?l:a;return p`<div class="sentence">
    <p class="small soft" aria-hidden="true">${e.name}</p>
    <p class="text ${e.pieces?"pieces":""}" role="group" aria-label=${e.name} data-side=${n}
      dir=${tt(t)} @pointerover=${e.hover?i:g} @focusin=${i} @keydown=${s}
      >${e.pieces?t.units.map((u,d)=>c(d)):Nr(t,c)}</p>
  </div>`}function Nr(e,t){let n=[],r=0;return e.units.forEach(({span:o,special:i},s)=>{i||!o?n.push(s?" ":"",t(s),s?"":" "):(n.push(e.text.slice(r,o[0]).join(""),t(s)),r=o[1])}),n}function Pc(e,t,n,r){if(e==="Home")return 0;if(e==="End")return n;let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[e];return o===void 0?null:Math.max(0,Math.min(n,t+((e==="ArrowRight"||e==="ArrowLeft")&&r?-o:o)))}function tt(e){let t=e.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(t)?"rtl":"ltr"}var as=v`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;function D(e,t,n){let r=0;for(let i=0;i<e.length;i++)r=Math.max(r,Math.abs(e[i]));let o=`${t}: ${e.length} numbers between ${_(-r)} and ${_(r)}`;return p`<figure class="vector" data-testid="vector" data-values=${Array.from(e).join(" ")}>
    <canvas class="strip" role="img" aria-label=${o}
      ${J(e.length,e,ye(r,n),r)}></canvas>
    <figcaption class="small soft">${t}: ${e.length} numbers, grey is negative; largest ±${y(r)}</figcaption>
  </figure>`}function cs(e){let{records:t,selection:n,change:r}=e,[o]=t;if(o.source?.kind!=="text")return de("The comparison needs a source text, which these records do not have.");let{source:i}=o,s=P("source",i,"words"),a=ft(o),l=a?xe(a,n).column:ge(s,n.column);return p`${F({axis:s,side:"columns",name:"source",pieces:!1,hover:!0,current:l,selected:!0,value:()=>null,style:()=>"",label:c=>s.units[c].label,select:(c,u)=>r({by:"column",column:s.units[c].positions[0]??0},u)})}
    <div class="models">${t.map(c=>Lc(c,t,i,l))}</div>
    <p class="note">An underlined word is in no other translation.</p>
    ${Vc(t)}`}function ls(e){let t=e.attentions.filter(({kind:o})=>o==="cross"),[n]=t;return[["the decoder sees",n?Sn(e)?"one vector (the last state)":"all states (attention)":"one vector (no attention)"],["score",n?.score.name??"none"],["normalizer",n?.normalizer.name??"none"],["layers",String(t.length)],["heads",String(n?.heads??0)],["parameters",e.model.parameters.toLocaleString("en")]]}function Ic(e,t){let n=t.map(ls),r=ls(e).filter(([,o],i)=>n.some(s=>s[i][1]!==o));return p`<dl class="small facts">${r.map(([o,i])=>p`<div><dt>${o}</dt><dd>${i}</dd></div>`)}</dl>`}function us(e,t){let n=({target:s})=>P("target",s,"words").units.map(({label:a})=>a),r=n(e),o=t.filter(s=>s!==e).map(n),i=new Set(o.flatMap(s=>mo(r,s)));return new Set(o.length?r.flatMap((s,a)=>i.has(a)?[]:[a]):[])}function Lc(e,t,n,r){let o=ft(e),i=e.source?.kind==="text"&&e.source.text===n.text;return p`<article data-testid="model-card" data-model=${e.model.name}>
    <h3>${e.model.name}</h3>
    ${Ic(e,t)}
    ${i?o?Hc(e,t,o,r):zc(e,t):p`<p class="note">This model has another source.</p>`}
  </article>`}function Hc(e,t,n,r){let o=O(e),i=N(e,o.attention),s=n.columns.units.length,a=Math.min(r,s-1),l=us(e,t);return p`<p class="target" dir=${tt(n.rows)}>${n.rows.units.map((c,u)=>{let d=n.row(u)[a];return p`<span class="word ${l.has(u)?"different":""}" data-testid="compared" data-value=${d} ?data-special=${c.special}
      title=${_(d)} .style=${Q(d)}>${c.label}</span> `})}</p>
  <p data-testid="summary">${bn(n,a)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${J(s,n.weights,X())}></canvas>
    <i .style=${`left:${100*a/s}%;width:${100/s}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${i?He(e,i,o):g}.</p>`}function zc(e,t){let n=e.summary===null?null:e.numbers(e.summary);return p`<p class="target" dir="auto">${P("target",e.target,"words").units.map(({label:r,special:o},i)=>p`<span class="word ${us(e,t).has(i)?"different":""}" ?data-special=${o}>${r}</span> `)}</p>
    ${n?D(n,"fixed vector","context"):g}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${n?p`one vector of ${n.length} numbers`:"its initial state"}.</p>`}function Vc(e){let t=e.flatMap((n,r)=>e.slice(r+1).map(o=>[n,o]));for(let[n,r]of t){let[o,i]=[ft(n),ft(r)];if(!o||!i||n.target.text!==r.target.text||o.weights.length!==i.weights.length)continue;let s=o.weights.map((c,u)=>c-i.weights[u]),a=o.rows.units.length,l=o.columns.units.length;return p`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Blue: ${n.model.name} has more weight; grey:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${a} rows, ${l} columns`}
        .style=${`width:${Math.min(560,l*24)}px;height:auto`}
        ${J(l,s,ye(1,"weight"))}></canvas>
    </section>`}return p`<p class="note">No two models have the same target, so there is no difference of weights.</p>`}var ds=v`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  .different { text-decoration: underline wavy var(--mark) 2px; text-underline-offset: 0.25em; }
  .facts { margin: 0; display: grid; gap: 0.1rem; }
  .facts div { display: flex; gap: 0.6rem; }
  .facts dt { color: var(--soft); min-width: 8rem; }
  .facts dd { margin: 0; }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; border: 1px solid var(--line); }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var ps=["The weights of a word are those of the step that predicts it.","The weights of a word are those of the step that reads it, after the step that predicts it."];function pe(e,t=g){let n=e.selection.view==="stage",{record:r,selection:o,change:i}=e,s=N(r,o.attention),a=l=>i({...l,userSelected:!0});return p`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${l=>a(Uc(e,Rr(l)))}>
        ${Object.entries(Qe).map(([l,c])=>{let u=r.attentions.filter(d=>d.kind===l&&(l==="cross"||!n));return u.length?p`<optgroup label=${c}>
                ${u.map(d=>p`<option value=${d.name} ?selected=${d.name===o.attention}>
                    ${c}, layer ${d.layer+1}</option>`)}</optgroup>`:g})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${l=>a({head:qc(Rr(l))})}>
        ${nt(s).map(l=>p`<option value=${l} ?selected=${l===o.head}>
            ${gt(l)}</option>`)}
      </select>
    </label>
    ${s?.kind==="cross"&&!n?p`<label title=${ps.join(" ")}>alignment step
            <select data-testid="shift"
              @change=${l=>a({shift:Number(Rr(l))})}>
              ${vr.map((l,c)=>p`<option value=${c} ?selected=${c===o.shift}>
                  ${l}</option>`)}
            </select>
          </label>`:g}
    ${Ve(e)} ${t}
    ${o.userSelected?p`<button data-testid="reset" @click=${()=>i(O(r),'[data-testid="attention"]')}>
            Back to the default</button>`:g}
  </div>`}function Ve({selection:e,change:t}){let n=r=>p`<button data-testid=${r}
    aria-pressed=${e.units===r} @click=${()=>t({units:r})}>${r}</button>`;return p`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}var Oc=[[.5,"½×"],[1,"1×"],[2,"2×"]];function _n({records:e,selection:t,change:n}){let r=s=>n({playing:!1,...ze(t,e,s)}),{playing:o,speed:i}=t;return p`<span class="pair transport">
      <button data-testid="back" aria-label="back" @click=${()=>r(-1)}>←</button>
      <button data-testid="play" class="primary" aria-pressed=${o}
        @click=${()=>n(kn(t,e))}>${o?"❚❚ Pause":"▶ Play"}</button>
      <button data-testid="forward" aria-label="forward" @click=${()=>r(1)}>→</button>
    </span>
    <span class="pair" role="group" aria-label="speed" data-testid="speed">${Oc.map(([s,a])=>p`<button aria-pressed=${s===i} data-speed=${s}
        @click=${()=>n({speed:s})}>${a}</button>`)}</span>`}function $e(e,t){let{record:n,selection:r,change:o}=e,i=N(n,r.attention),s=r.view==="stage"?0:r.shift,a=l=>{let{open:c}=l.target;c!==r.options&&o({options:c})};return p`<details class="options" data-testid="options" .open=${r.options}
    @toggle=${a}><summary>${i?`${He(n,i,{head:r.head,shift:s})}; ${r.units}`:"Details"}</summary><div class="options-body">${t}</div></details>`}function ve({record:e,selection:t}){let n=N(e,t.attention);if(!n)return p``;let r=Ii(e,t);return p`<p class="note" data-testid="caption">
    <strong>${He(e,n,t)}</strong>${r?p`; ${r}`:g}.
    ${n.kind==="cross"?ps[t.shift]:g} ${Pi}
  </p>`}function Uc({record:e,selection:t},n){let r=nt(N(e,n));return{attention:n,head:r.includes(t.head)?t.head:r[0]}}function nt(e){let t=[...Array(e?.heads??0).keys()];return t.length>1?[...t,"mean","max"]:t}function qc(e){return e==="mean"||e==="max"?e:Number(e)}function Rr(e){return e.target.value}var Nn=6,ms=I`<munder><mo>∑</mo><mi>d</mi></munder>`,hs=I`<msub><mi>q</mi><mi>d</mi></msub>`,fs=I`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,Cr=I`<msub><mi>e</mi><mi>s</mi></msub>`,Fc=I`<msub><mi>e</mi><mi>j</mi></msub>`,Dc=I`<msub><mi>α</mi><mi>s</mi></msub>`,jc=I`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,Bc=I`<mi>D</mi>`,gs=e=>I`<msup>${e}<mn>2</mn></msup>`;function Rn(e){let t=e?I`${ms}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${hs}<mo>+</mo>${fs}<mo>)</mo>`:I`<mi>c</mi>${ms}${hs}<mo>⁢</mo>${fs}`;return p`<math display="block"><mrow>${Cr}<mo>=</mo>${t}</mrow></math>`}function Cn(e,t){let n=s=>I`<mrow><mi>exp</mi><mo>(</mo>${s}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,o={hard:I`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:I`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${Cr}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,uniform:I`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,softmax:I`<mfrac>${n(Cr)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(Fc)}</mrow></mfrac>`}[e.name];if(!o)return p`<p class="note">${e.formula} <br><cite>${e.reference}</cite></p>`;let i=t?I`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${gs(jc)}<mo>/</mo>${gs(Bc)}<mo>)</mo>`:"";return p`<math display="block"><mrow>${Dc}<mo>=</mo>${o}${i}</mrow></math>`}function Pn(e,t){let{detail:n,units:r,scores:o}=e;if(!n?.terms||!o)return p``;let{query:i,keys:s,scale:a,energy:l}=n.terms,c=i.length,u=s.subarray(t*c,(t+1)*c),d=co(i,u,a,l),m=W(d.map(Math.abs)),h=m.slice(Nn).reduce((x,w)=>x+d[w],0),f=d.reduce((x,w)=>x+w,0),b=l?p`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:p`c · q<sub>d</sub> · k<sub>d</sub>`;return p`<table class="terms" data-testid="summands" data-source=${t}>
    <caption>The score of ${$(r[t].label)}: ${y(o[t])}${l?"":p`, with c = ${y(a)}`}</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${l?p`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${b}</th></tr></thead>
    <tbody>
      ${m.slice(0,Nn).map(x=>p`<tr><th scope="row">${x+1}</th><td>${y(i[x])}</td><td>${y(u[x])}</td>
          ${l?p`<td>${y(l[x])}</td>`:""}<td>${y(d[x])}</td></tr>`)}
      ${c>Nn?p`<tr><th scope="row" colspan=${l?4:3}>the other ${c-Nn} dimensions</th>
              <td data-testid="rest">${y(h)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${l?4:3}>sum</th>
        <td data-testid="score-sum">${y(f)}</td></tr>
    </tbody>
  </table>
  ${o[t]===Number.NEGATIVE_INFINITY?p`<p class="note">The span masks this position, so this sum is not used.</p>`:Math.abs(f-o[t])>.005?p`<p class="note">The model’s score is ${y(o[t])}.</p>`:""}`}var bs=v`
  math {
    font-size: 1.3rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: var(--small); max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var Pr=128,Ir=56,Wc=19,Gc=44;function In(e,t){let n=a=>a.flatMap((l,c)=>l.special&&!e.selection.specialTokens?[]:[c]),r=n(t.rows.units),o=n(t.columns.units),i=Math.floor((e.width-Pr-Ir)/Math.max(1,o.length)),s=Math.max(Wc,Math.min(Gc,i));return{chart:t,rows:r,columns:o,cell:s,at:(a,l)=>t.row(r[a])[o[l]]}}function Ln(e,{chart:t,rows:n,columns:r}){let{row:o,column:i}=xe(t,e.selection);return[Math.max(0,n.indexOf(o)),Math.max(0,r.indexOf(i))]}function Lr(e,t,n,r){let{record:o}=e;if(N(o,e.selection.attention)?.kind!=="cross"||o.source?.kind!=="text")return g;let{source:s,target:a}={source:o.source,target:o.target},{chart:l,cell:c}=t,u=(d,m,h)=>{let f=d.flatMap((b,x)=>m[b].positions.some(w=>h.includes(w))?[x]:[]);return[f[0],f.length]};return n.map(([d,m])=>{let[h,f]=u(t.columns,l.columns.units,s.word_pieces[d]),[b,x]=u(t.rows,l.rows.units,a.word_pieces[m]);if(!f||!x)return g;let w=`left:${h*c}px;top:${b*c}px`,k=`width:${f*c}px;height:${x*c}px`;return p`<i class=${r} data-testid=${r} data-link=${`${d}-${m}`}
      .style=${`${w};${k}`}></i>`})}var xs=v`
  .gold { box-shadow: inset 0 0 0 2px var(--ink), inset 0 0 0 3px var(--paper); }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: color-mix(in srgb, var(--weight) 40%, var(--paper)); border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var Kc=120,ys=36,Yc=2500;function Hn(e,t){let{chart:n,rows:r,columns:o,cell:i,at:s}=t,[a,l]=Ln(e,t),c=X(),u=r.flatMap((A,T)=>o.map((E,C)=>s(T,C))),d=o.map((A,T)=>r.reduce((E,C,se)=>E+(s(se,T)||0),0)),m=r.length*o.length<=Yc,h=(A,T,E=!0)=>{let C={row:n.rows.units[r[A]].positions[0]??0,column:n.columns.units[o[T]].positions[0]??0};e.change(C,E?`[data-row="${A}"][data-column="${T}"]`:void 0)},f=A=>{let T=Qc(A,a,l,t);T&&(A.preventDefault(),h(...T))},b=A=>{let T=A.currentTarget.getBoundingClientRect(),E=Math.floor((A.clientX-T.left)/i),C=Math.floor((A.clientY-T.top)/i);C>=0&&E>=0&&C<r.length&&E<o.length&&(C!==a||E!==l)&&h(C,E,A.type==="click")},x=(A,T)=>{let E=s(A,T),C=i>=ys&&E>=.005?_(E):"";return p`<span role="gridcell" data-testid="cell" data-row=${A} data-column=${T}
      data-value=${E} aria-colindex=${T+2} tabindex=${A===a&&T===l?0:-1}
      aria-label=${Xc(t,A,T)} .style=${C?`color:${yt(c(E))}`:""}
      >${C}</span>`},w=o.map((A,T)=>{let{label:E,special:C}=n.columns.units[A];return p`<span role="columnheader" class="top ${T===l?"here":""}"
      aria-colindex=${T+2} title=${E} ?data-special=${C}><bdi dir="auto">${E}</bdi></span>`}),k=r.map((A,T)=>{let{label:E,special:C}=n.rows.units[A],se=o.reduce((S,Z,U)=>S+s(T,U),0);return p`<div role="row" class="line" aria-rowindex=${T+2}>
      <span role="rowheader" class="side ${T===a?"here":""}" aria-colindex="1" title=${E}
        ?data-special=${C}><bdi dir="auto">${E}</bdi></span>
      ${m||T===a?o.map((S,Z)=>x(T,Z)):p`<span role="presentation" .style=${`grid-column:span ${o.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${se}
        aria-colindex=${o.length+2} aria-label=${`sum ${_(se)}`}>${_(se)}</span>
    </div>`}),H=Math.max(...o.map(A=>n.columns.units[A].label.length),4),z=`${`--head:${Math.min(Kc,20+9*H)}px;--cell:${i}px;--label:${Pr}px;--sum:${Ir}px`};--columns:${o.length}`;return p`<div class="scroll matrix ${m?"":"boxed"}" .style=${z} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${b} @click=${b}>
        <canvas data-testid="cells" ${J(o.length,u,c)}></canvas>
        ${Lr(e,t,e.record.links,"link")}
        ${Lr(e,t,e.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${l*i}px;top:${a*i}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${r.length+2} aria-colcount=${o.length+2} @keydown=${f}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${w}
          <span role="columnheader" class="sum" aria-colindex=${o.length+2}>sum</span>
        </div>
        ${k}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${d.map((A,T)=>p`<span role="gridcell" data-testid="coverage" data-value=${A}
              aria-colindex=${T+2} aria-label=${`coverage ${_(A)}`} title=${_(A)}
              ><i .style=${`height:${1.5*A/Math.max(...d,1)}rem`}></i
              ><b>${i>=ys?_(A):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function Xc({chart:e,rows:t,columns:n,at:r},o,i){let s=r(o,i),a=n.filter((d,m)=>r(o,m)>s).length,l=a?`number ${a+1}`:"highest",[c,u]=[e.rows,e.columns];return`${c.name} ${c.units[t[o]].label} ← ${u.name} ${u.units[n[i]].label} ${_(s)}, ${Number.isNaN(s)?"no weights":l} of ${n.length}`}function Qc(e,t,n,r){let{rows:o,columns:i,at:s}=r,l={ArrowRight:[t,n+1],ArrowLeft:[t,n-1],ArrowDown:[t+1,n],ArrowUp:[t-1,n],Home:[e.ctrlKey?0:t,0],End:[e.ctrlKey?o.length-1:t,i.length-1],PageUp:[t,M(i.map((u,d)=>s(t,d)))],PageDown:[M(o.map((u,d)=>s(d,n))),n]}[e.key];return l?.[0]>=0&&l[1]>=0&&l[0]<o.length&&l[1]<i.length?l:null}var ws=v`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: var(--tiny); line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(var(--small), calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(var(--small), calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(var(--small), calc(var(--cell) * 0.75)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: var(--tiny); color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(var(--small), calc(var(--cell) * 0.75)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: var(--tiny); color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: var(--tiny); font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.6;
    box-shadow: inset 0 0 0 1px var(--line);
    background: linear-gradient(var(--line) 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, var(--line) 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Jc={id:"entropy",title:"entropy",explain:"in bits; 0 if every word attends to one position only",ascending:!0,of:(e,t,n)=>vs(e,t,n,r=>ct(r))},Zc={id:"diagonality",title:"diagonality",explain:"1 if every word attends to the same relative position in the other text",ascending:!1,of:(e,t,n)=>vs(e,t,n,(r,o)=>{let i=0;for(let s=0;s<r.length;s++)i+=r[s]*Math.abs(s/Math.max(1,r.length-1)-o);return 1-i})},eu={id:"agreement",title:"agreement with the alignment head",explain:"F1 of its links with those of the alignment head; 1 if they are the same",ascending:!1,of:(e,t,n,r)=>ks(e,t,n,r,e.links)},tu={id:"error",title:"alignment error (AER)",explain:"against the gold links; 0 if they are the same",ascending:!0,of:(e,t,n,r)=>{let o=ks(e,t,n,r,e.gold??[]);return o===void 0?void 0:1-o}};function $s(e){return[Jc,Zc,...e.links.length?[eu]:[],...e.gold?[tu]:[]]}function vs(e,t,n,r){let o=B(e.numbers(t.weights),t.heads,n),i=Hr(e,t),s=o.length/i,a=0;for(let l=0;l<s;l++)a+=r(o.subarray(l*i,(l+1)*i),l/Math.max(1,s-1));return a/s}function Hr(e,t){return e.numbers(t.norms).length/t.heads}function ks(e,t,n,r,o){if(t.kind!=="cross"||e.source?.kind!=="text")return;let i=Le(e,t,n,r,"words"),s=new Set;return i.rows.units.forEach((a,l)=>{let c=M(i.row(l));!a.special&&i.columns.units[c]&&!i.columns.units[c].special&&s.add(`${c}-${l}`)}),po(s,new Set(o.map(([a,l])=>`${a}-${l}`)))}function Ss(e){let{record:t,selection:n,change:r}=e;if(!t.attentions.length)return re(t);let o=$s(t),i=o.find(({id:s})=>s===n.sort);return p`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!i}>layer and head</option>
        ${o.map(s=>p`<option value=${s.id} ?selected=${s===i}>${s.title}</option>`)}
      </select></label>
      ${i?p`<p class="note">${i.title}, ${i.explain}</p>`:g}
    </div>
    ${Object.keys(Qe).map(s=>ru(e,s,i))}
    ${nu(e)}
    <div class="controls">
      ${[t.source?.kind==="image"?["image","Show on the image"]:["text","Show in the text"],["matrix","Show as a matrix"],["trace","Show step by step"]].map(([s,a])=>p`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${ve(e)}`}function nu(e){let t=be(e);return t?Hn(e,In(e,t)):p``}function ru(e,t,n){let{record:r,selection:o}=e,i=r.attentions.filter(u=>u.kind===t),s=Qe[t];if(!i.length)return g;let a=u=>nt(u).map(d=>({attention:u,head:d,value:n?.of(r,u,d,o.shift)})),l=(u,d)=>p`<div class="tiles">${d}${u.map(m=>ou(e,m,n))}</div>`,c=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(n?.ascending?1:-1);return p`<section class="kind" aria-label=${s}><h3>${s}</h3>
    ${n?l(i.flatMap(a).sort(c),g):i.map(u=>l(a(u),p`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function ou(e,{attention:t,head:n,value:r},o){let{record:i,selection:s,change:a}=e,l=typeof n=="number"?`${n+1}`:n,c=o?p`<span class="hidden">layer and head </span>${t.layer+1} · ${l}`:p`<span class="hidden">layer ${t.layer+1}, </span>${typeof n=="number"?"head ":""}${l}`;return p`<button class="tile" data-testid="tile" data-attention=${t.name} data-head=${n}
    aria-pressed=${s.attention===t.name&&s.head===n}
    @click=${()=>a({attention:t.name,head:n,userSelected:!0})}>
    <canvas ${St(u=>iu(u,i,t,n))}></canvas>
    <span class="small">${c}</span>
    ${r===void 0?g:p`<span class="small">${y(r)}</span>`}
  </button>`}var As=new WeakMap;function iu(e,t,n,r){let o=`${X()(0)} ${t.model.sha256} ${t.target.text} ${n.name} ${r}`;if(As.get(e)===o)return;As.set(e,o);let i=B(t.numbers(n.weights),n.heads,r);_r(e,Hr(t,n),i,X(),1)}var Ts=v`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 8rem; height: 8rem; border: 1px solid var(--line); border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 6rem; height: 6rem; } }
`;var su=.7,au=.05,lu=.75;function Es(e){let{record:t,selection:n,change:r}=e,o=t.source,i=be(e);if(!i)return re(t);if(N(t,n.attention)?.kind!=="cross")return p`${pe(e)} ${de("Select a cross-attention layer to see weights on the image.")}`;let{row:s}=xe(i,n),a=(c,u)=>r({by:"row",row:i.rows.units[c].positions[0]??0,column:-1},u),l=p`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid of weights</label>`;return p`<div class="captioned">
      ${Ms(o,i.row(s),n.grid)}
      <div class="beside">
        ${F({axis:i.rows,side:"rows",name:"target",pieces:n.units==="pieces",hover:!0,current:s,selected:!0,value:()=>null,style:()=>"",label:c=>i.rows.units[c].label,select:a})}
        ${uu(i,s)} ${du(i)} ${ve(e)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${i.rows.units.map((c,u)=>p`<button class="frame" data-testid="frame" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${Ms(o,i.row(u),!1)}<span><bdi dir="auto">${c.label}</bdi></span>
          <span class="small soft">${y(ct(i.row(u)))} bits</span></button>`)}
    </div>
    ${$e(e,pe(e,l))}`}function Ms(e,t,n){let r=t[M(t)],{rows:o,columns:i}=e,s=`aspect-ratio:${e.width}/${e.height}`,a=e.image.startsWith("data:image/")?e.image:"";return p`<figure class="attended" .style=${s}><img src=${a} alt="source image">
    <canvas aria-hidden="true" ${St(l=>cu(l,i,t,r))}></canvas>
    ${n?p`<div class="regions" .style=${`grid-template:repeat(${o},1fr)/repeat(${i},1fr)`}>
            ${Array.from(t,l=>p`<span data-testid="region" data-value=${l}>${_(l)}</span>`)}</div>`:g}</figure>`}function cu(e,t,n,r){e.width=t,e.height=n.length/t;let o=e.getContext("2d");if(!o)return;let i=o.createImageData(e.width,e.height),s=wt(X()(su));n.forEach((a,l)=>{i.data.set([...s,255*lu*(a/(r||1))],4*l)}),o.putImageData(i,0,0)}function uu(e,t){let n=e.row(t),r=M(n);return p`<p class="summary" data-testid="summary">${$(e.rows.units[t].label)} attends most to
    ${e.columns.units[r].label}, ${y(n[r])} in ${n.length} regions; entropy
    ${y(ct(n))} of ${y(Math.log2(n.length))} bits.</p>`}function du(e){let n=e.rows.units.slice(1).map((o,i)=>uo(e.row(i),e.row(i+1))).filter(o=>!Number.isNaN(o));if(!n.length)return p`<p class="note">There is only one word, so no movement.</p>`;let r=n.reduce((o,i)=>o+i,0)/n.length;return p`<p class="note" data-testid="movement">From word to word ${y(r)} of the attention
    moves.${r<au?p` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`:g}</p>`}var _s=v`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .attended { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .attended img, .attended canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .attended img { filter: grayscale(1) contrast(0.85); }
  .attended canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: var(--tiny); color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var Ns=[["uniform","uniform attention","All cross-attention weights are equal."],["masked","mask a word","The word is masked in all cross-attention; the encoder still reads it."],["removed","remove a word","The word is removed from the source."]];function Rs(e){let{record:t,selection:n}=e,{interventions:r}=t;if(!r?.kinds.length)return de(p`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);let o=Math.min(n.intervention,r.kinds.length-1),i=r.kinds[o];return p`${pu(e,r,o)} ${mu(t,r,o,n.units)}
    ${hu(t,r,o,n.units)} ${Ve(e)}
    <p class="note">${Ns.find(([s])=>s===i)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`}function pu({record:e,change:t},n,r){let[o,i]=[n.kinds[r],n.words[r]],s=Cs(e,n),a=b=>n.kinds.flatMap((x,w)=>x===b?[w]:[]),l=b=>a(b).reduce((x,w)=>s[w]>s[x]?w:x),{source:c}=e,u=c?.kind==="text"?P("source",c,"words"):null,d=u&&{...u,units:u.units.filter(b=>!b.special)},m=b=>a(o).find(x=>n.words[x]===b)??r,h=b=>s[m(b)],f=Math.max(...a(o).map(b=>s[b]));return p`<div class="pair wrap" role="group" aria-label="intervention">
      ${Ns.filter(([b])=>a(b).length).map(([b,x])=>p`<button data-testid="intervention-kind" data-kind=${b}
          aria-pressed=${b===o}
          @click=${()=>t({intervention:l(b)})}>${x}</button>`)}
    </div>
    ${d&&i!==null?p`${F({axis:d,side:"columns",name:`select the word to ${o==="masked"?"mask":"remove"}; a stronger colour means a greater loss`,pieces:!1,hover:!1,current:i,selected:!0,value:h,style:b=>`${Q(h(b)/f)};${b===i?"text-decoration:line-through 2px":""}`,label:b=>d.units[b].label,select:(b,x)=>t({intervention:m(b)},x)})}`:g}`}function Cs(e,t){let n=e.numbers(t.logps),{steps:r}=e;return t.kinds.map((o,i)=>r.reduce((s,{logp:a},l)=>s+a-n[i*r.length+l],0))}function Ps(e,t,n,r){let o=e.steps.length,i=e.numbers(t.logps),s=e.numbers(t.token_logps),a=t.tokens[n],l=r==="words"?R:Y;return $t(e,r).map(({label:c,positions:u})=>{let d=h=>u.reduce((f,b)=>f+h(b),0),m=u.find(h=>a[h]!==e.target.pieces[h]);return{label:c,before:Math.exp(d(h=>e.steps[h].logp)),after:Math.exp(d(h=>i[n*o+h])),instead:m===void 0?null:{label:l(a[m]),p:Math.exp(s[n*o+m])}}})}function mu(e,t,n,r){let o=Ps(e,t,n,r),[i]=W(o.map(({before:d,after:m})=>Math.abs(m-d))),{label:s,before:a,after:l,instead:c}=o[i],u=Cs(e,t)[n];return p`<p class="summary" data-testid="summary">
    ${$(s)} ${l<a?"falls":"rises"} from ${y(a)} to ${y(l)}${c?p`; the model prefers ${$(c.label)}`:""}. <span class="soft">The target ${u>0?"loses":"gains"} ${y(Math.abs(u))} nats.</span></p>`}function hu(e,t,n,r){let o=r==="words"?"word":"piece";return p`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${n}>
    <caption class="hidden">Probability of each ${o} before and after</caption>
    <thead><tr><th scope="col">${o}</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${Ps(e,t,n,r).map(({label:i,before:s,after:a,instead:l})=>p`<tr>
        <th scope="row">${$(i)}</th>
        <td data-testid="before">${y(s)}</td>
        <td class="slope">${fu(s,a)}</td>
        <td data-testid="after">${y(a)}</td>
        <td data-testid="prediction">${l?p`${$(l.label)} ${y(l.p)}`:p`<span class="soft">unchanged</span>`}</td></tr>`)}</tbody></table></div>`}function fu(e,t){let[n,r]=e<t?[e,t]:[t,e],o=r-n<.005?"none":t<e?"down":"up";return p`<span class="track" role="img" aria-label=${`from ${_(e)} to ${_(t)}`}>
    <i class="change ${o}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*e}%`}></i>
    <i class="disc ${o}" .style=${`left:${100*t}%`}></i></span>`}var Is=v`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: var(--small); }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: var(--small); }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .change { height: 4px; margin-top: -2px; background: var(--output); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--output); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;function Hs({chart:e,rows:t,columns:n,at:r}){let o=n.map(s=>Ls(e.columns.units[s].label)),i=t.map((s,a)=>[Ls(e.rows.units[s].label),...n.map((l,c)=>Number.isNaN(r(a,c))?"":String(r(a,c)))]);return[['""',...o],...i].map(s=>`${s.join(",")}\r
`).join("")}function Ls(e){return`"${(/^[=+\-@\t\r]/.test(e)?`'${e}`:e).replaceAll('"','""')}"`}var oe=40,ke=120,zs=2,gu="14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";function Os({chart:e,rows:t,columns:n,at:r}){let[o,i]=[ke+n.length*oe+8,ke+t.length*oe+8],s=t.flatMap((c,u)=>n.map((d,m)=>{let h=r(u,m),[f,b]=[ke+m*oe,ke+u*oe],x=Number.isNaN(h)?"#fff":Zi(h),w=h>=.005?`<text x="${f+oe/2}" y="${b+oe/2+4}" text-anchor="middle" font-size="11" fill="${yt(x)}">${_(h)}</text>`:"";return`<rect x="${f}" y="${b}" width="${oe}" height="${oe}" fill="${x}"/>${w}`})),a=t.map((c,u)=>`<text x="${ke-8}" y="${ke+(u+.5)*oe+5}" text-anchor="end">${Vs(e.rows.units[c].label)}</text>`),l=n.map((c,u)=>{let[d,m]=[ke+(u+.5)*oe+5,ke-8];return`<text x="${d}" y="${m}" transform="rotate(-55 ${d} ${m})">${Vs(e.columns.units[c].label)}</text>`});return`<svg xmlns="http://www.w3.org/2000/svg" width="${o}" height="${i}" viewBox="0 0 ${o} ${i}" style="font:${gu}"><rect width="100%" height="100%" fill="#fff"/>${[...s,...a,...l].join("")}</svg>`}async function Us(e){let t=new Image;t.src=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(e)}`,await t.decode();let n=document.createElement("canvas");return n.width=t.width*zs,n.height=t.height*zs,n.getContext("2d").drawImage(t,0,0,n.width,n.height),new Promise((o,i)=>n.toBlob(s=>s?o(s):i(new Error("no picture"))))}function Vs(e){let t=[...e].filter(r=>/[^\p{C}]/u.test(r));return(t.length>14?`${t.slice(0,13).join("")}…`:t.join("")).replaceAll("&","&amp;").replaceAll("<","&lt;")}function Fs(e){return location.protocol==="about:"?g:p`<button data-testid="csv" @click=${()=>qs(new Blob([Hs(e)],{type:"text/csv"}),"weights.csv")}>Save as CSV</button>
    <button data-testid="picture" @click=${async()=>qs(await Us(Os(e)),"attention.png")}>Save picture</button>`}function qs(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(e),n.download=t,n.click(),URL.revokeObjectURL(n.href)}function Ds(e){let t=be(e);if(!t)return re(e.record);let n=In(e,t),r=p`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${e.selection.specialTokens}
    @change=${()=>e.change({specialTokens:!e.selection.specialTokens})}> special tokens</label>`;return p`${bu(e,n)} ${Hn(e,n)} ${xu(e,t)}
    ${yu(e)} ${$e(e,pe(e,[r,Fs(n)]))} ${ve(e)}`}function bu(e,t){let{chart:n,rows:r,columns:o,at:i}=t;if(!r.length||!o.length)return p`<p class="summary">There are only special tokens, which are hidden.</p>`;let[s,a]=Ln(e,t);if(Number.isNaN(i(s,a)))return p`<p class="summary" data-testid="summary">${gn(n,r[s])}</p>`;let l=M(o.map((u,d)=>i(s,d))),c=l===a?"the highest of the row":p`the highest of the row is ${$(n.columns.units[o[l]].label)} ${y(i(s,l))}`;return p`<p class="summary" data-testid="summary">
    ${$(n.rows.units[r[s]].label)} ← ${$(n.columns.units[o[a]].label)}
    ${y(i(s,a))}, ${c}</p>`}function xu({selection:e},t){if(e.specialTokens)return g;let n=t.columns.units.flatMap((i,s)=>i.special?[s]:[]),r=t.rows.units.flatMap((i,s)=>i.special?[]:[n.reduce((a,l)=>a+(t.row(s)[l]||0),0)]),o=r.reduce((i,s)=>i+s,0)/Math.max(1,r.length);return p`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${y(o)} in each row, so rows sum to less than 1.</p>`}function yu({record:e}){return p`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${yn()}></i> 1</span>
    ${e.links.length?p`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>`:g}
    ${e.gold?p`<span><i class="key"><i class="gold"></i></i> gold link</span>`:g}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`}var js="regard.explain/2",Bs={u16:2,f16:2,f32:4};async function zr(e){let{arrays:t,data:n,...r}=JSON.parse(e);if(r.format!==js)throw new Error(`This viewer reads the format ${js}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let o=await wu(n),i=[],s=0;for(let{type:c,shape:u}of t)i.push(s),s+=Bs[c]*Ws(u);if(o.length!==s)throw new Error(`The record is damaged: its arrays have ${o.length} bytes instead of ${s}.`);let a=[];return{...r,numbers:c=>(a[c]??=$u(o,i[c],t[c]),a[c])}}async function wu(e){let t=atob(e),n=new Uint8Array(t.length);for(let o=0;o<t.length;o++)n[o]=t.charCodeAt(o);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function $u(e,t,{type:n,shape:r}){let o=Ws(r),i=e.slice(t,t+o*Bs[n]).buffer;if(n==="f32")return new Float32Array(i);let s=new Uint16Array(i),a=new Float32Array(o);for(let l=0;l<o;l++)a[l]=n==="u16"?s[l]/65535:vu(s[l]);return a}function vu(e){let t=e&32768?-1:1,n=e>>10&31,r=e&1023;return n===0?t*r*2**-24:n===31?r?Number.NaN:t*Number.POSITIVE_INFINITY:t*(1+r/1024)*2**(n-15)}function Ws(e){return e.reduce((t,n)=>t*n,1)}var ku=896,Au=.12;function Gs(e,t){let{records:n,selection:r}=e,{record:o,step:i,units:s}=t,a=n.length>1,l=i>=s.length;return p`<section class="lane" data-testid="lane" data-model=${o.model.name}
    data-stage=${r.stage} data-ended=${l} aria-label=${o.model.name}>
    ${a?p`<h3>${o.model.name}</h3>`:g}
    ${Su(e,t)}
    <div class="between" aria-hidden="true"></div>
    ${t.bottleneck?Eu(e,t):Mu(e,t)}
    ${_u(e,t,a?3:5)}
    ${Tu(e,t)}
    ${Eo(t,r.stage,l)} ${Mo(t,r.stage,l)}
  </section>`}function Tt(e,{record:t},n,r=-1){let o=e.records.indexOf(t),i=o===e.selection.record?{}:{record:o};e.change({...i,detail:n,column:r,playing:!1,stage:e.selection.stage})}function Ks({records:e,width:t},{source:n,target:r,units:o}){let i=t>=ku&&e.length>1?t/2-16:t,s=Math.max(16,i/72),a=Math.max(n.text.length,r.text.length)+.65*o.length+6,l=u=>.94*u*i/(.62*a),c=[1,2,3,4].find(u=>l(u)>=s)??5;return{lines:c,size:l(c)}}function Su(e,t){let{source:n,weights:r,bottleneck:o}=t,{selection:i}=e,s=i.stage>=2&&!o;return Ys("source",n,l=>{let{label:c,special:u,positions:d}=n.units[l],m=s?r[l]:0,h=m>=er;return p`<button class="word" data-testid="source-word" data-unit=${l} ?data-special=${u}
      @click=${()=>Tt(e,t,o?"context":"weight",d[0])}
      ><span class="ink" .style=${Q(m)}>${c}</span><small
      class=${h&&m>=.05?"":"faint"}>${o?g:p`<data data-value=${r[l]}>${r[l].toFixed(2)}</data>`}</small></button>`},Ks(e,t),i.units)}function Tu(e,t){let{target:n,units:r,step:o}=t,{selection:i,change:s}=e,a=i.stage===5;return Ys("target",n,c=>{let u=n.units[c],d=r.findIndex(({positions:b})=>b[0]===u.positions[0]),m=d<o||d===o&&a?"said":d===o?"slot":"coming",h=m==="coming"&&i.started,f=()=>s({row:u.positions[0],column:-1,stage:5,playing:!1,started:!0});return p`<button class="word ${m} ${d===o?"now":""} ${h?"unseen":""}"
      data-testid="target-word" data-unit=${d} data-when=${m} ?data-special=${u.special}
      tabindex=${h?-1:0} aria-hidden=${h} aria-current=${d===o?"step":g}
      @click=${f}><span class="ink">${u.label}</span></button>`},Ks(e,t),i.units)}function Ys(e,t,n,{lines:r,size:o},i){return p`<div class="line-of-words ${e} ${r>2?"dense":""}" .style=${`--words:${o}px`}>
    <span class="name" aria-hidden="true">${e}</span>
    <p class="words" role="group" aria-label=${e} data-side=${e} dir=${tt(t)}>${i==="pieces"?t.units.map((s,a)=>p`${n(a)} `):Nr(t,n)}</p></div>`}function Mu(e,t){let{source:n,shares:r,units:o,step:i}=t,s=o[i-1]?.label??"‹start›";return p`<div class="mix">
    <button class="query" data-testid="query" @click=${()=>Tt(e,t,"query")}
      ><small>query after</small> <bdi>${s}</bdi></button>
    <button class="pill" data-testid="context"
      @click=${()=>Tt(e,t,"context")}>
      <small class="pill-name">context</small>
      <span class="parts">${r.map((a,l)=>p`<span class="part" data-testid="share" data-unit=${l}
          data-value=${a} .style=${`flex-grow:${a}`} title=${n.units[l].label}>${a>=Au?p`<bdi>${n.units[l].label}</bdi>`:g}</span>`)}</span></button>
  </div>`}function Eu(e,t){let{vector:n}=t,r=Array.from(n??[]).reduce((o,i)=>Math.max(o,Math.abs(i)),0);return p`<div class="mix">
    <button class="pill chip" data-testid="chip" @click=${()=>Tt(e,t,"context")}>
      <small class="pill-name">fixed vector: the whole sentence in ${n?p`<b>${n.length}</b> numbers`:"one state"}</small>
      ${n?p`<canvas class="strip" aria-hidden="true"
              ${J(n.length,n,ye(r,"context"),r)}></canvas>`:g}</button></div>`}function _u(e,t,n){let{candidates:r,units:o,step:i}=t,s=e.selection.stage===5&&i<o.length,a=r.slice(0,n),l=r.find(({output:c})=>c);return a.includes(l)||(a[a.length-1]=l),p`<button class="race" data-testid="race"
    @click=${()=>Tt(e,t,"output")}><span class="hidden">the most likely next words: </span>${a.map(({label:c,piece:u,p:d,output:m})=>p`<span class="runner ${m?"winner":""}"
        data-testid="candidate" data-piece=${u} data-output=${m}>
        <bdi>${c}</bdi><span class="runway"><i .style=${`width:${s?100*d:0}%`}></i></span>
        <span class="p">${s?y(d):g}</span></span>`)}</button>`}function Or({record:e,selection:t}){let n=e.head_trace;if(n===null)return!1;let{attention:r,head:o,userSelected:i}=t;return!i||n.attention===r&&n.head===o}function zn(e){let{record:t,selection:n}=e,r=Or(e)?t.head_trace:null,o=N(t,r?.attention??n.attention);if(!o||o.kind==="encoder")return null;let[,{units:i,name:s}]=$r(t,o,"pieces"),a=s==="source"&&t.source?.kind==="text"?t.source:null,l=m=>a&&n.units==="words"?R(a.pieces[m]):i[m].label,c=i.map((m,h)=>({...m,label:l(h)})),u=Math.min(n.row,t.steps.length-1),d={record:t,attention:o,step:u,units:c,temperature:n.temperature};return r?Nu(d,r):Ru(d,n.head)}function Nu(e,t){let{record:n,attention:r,step:o,units:i}=e,s=H=>Vr(n.numbers(H),o,n.steps.length),a=n.numbers(t.values),l=a.length/i.length,c=i.map((H,V)=>Math.hypot(...a.subarray(V*l,(V+1)*l))),u=s(t.scores),d=s(t.weights),m=Xs(e,u,d),{queries:h,keys:f,scale:b,energy:x}=t,k={terms:h===null||f===null||b===null?null:{query:s(h),keys:n.numbers(f),scale:b,energy:x===null?null:n.numbers(x)},context:Qn(m,a),values:a};return{attention:r,step:o,units:i,scores:u,recorded:d,weights:m,norms:c,detail:k}}function Ru(e,t){let{record:n,attention:r,step:o,units:i}=e,s=n.steps.length,{heads:a}=r,l=Vr(B(n.numbers(r.weights),a,t),o,s),c=B(n.numbers(r.norms),a,t),u=r.scores!==void 0&&typeof t=="number"?Vr(B(n.numbers(r.scores),a,t),o,s):null,m=u&&e.temperature!==1?Xs(e,u,l):Array.from(l);return{attention:r,step:o,units:i,scores:u,recorded:l,weights:m,norms:c,detail:null}}function Xs(e,t,n){let{attention:r,temperature:o}=e,i=Ft.get(r.normalizer.name);if(!i)return Array.from(n);let s=i(t,o);if(r.prior===null)return s;let a=i(t,1);return s.map((l,c)=>a[c]?l*n[c]/a[c]:0)}function Vr(e,t,n){let r=e.length/n;return e.subarray(t*r,(t+1)*r)}var Vn=8,Cu={query:"The query",weight:"One weight",context:"The context",output:"The next word"};function Qs(e,t){let{selection:n,change:r}=e,o=n.detail,{attention:i,head:s,units:a,step:l}=t,c={...n,attention:i?.name??"",head:s,userSelected:!0},u=i?zn({...e,selection:c}):null,d=a[Math.min(l,a.length-1)],m=d.positions.length>1,h=f=>f.currentTarget.closest("dialog")?.close();return p`<dialog class="numbers" data-testid="numbers" aria-labelledby="numbers-title"
      @close=${()=>r({detail:null})}>
    <div class="numbers-head"><h3 id="numbers-title">${Cu[o]}
      <span class="soft">for ${$(d.label)}</span></h3>
      <button data-testid="close" @click=${h}>Close</button></div>
    ${m?p`<p class="note">${$(d.label)} has ${d.positions.length} pieces. These are the
          numbers of the first, ${$(R(t.record.target.pieces[d.positions[0]]))}.</p>`:g}
    ${u&&o!=="output"?Pu[o](e,t,u):zu(t,o)}
  </dialog>`}var Pu={query:Iu,weight:Lu,context:Hu};function Iu(e,t,{detail:n}){return n?.terms?p`<p>The decoder computes the query from its state. Its product with the key of a source
        word is the score of the word.</p>
      ${D(n.terms.query,"query q","query")}`:Ur()}function Lu(e,t,n){let{column:r}=e.selection,{weights:o,units:i,scores:s,attention:a,detail:l}=n,c=r<0?M(o):Math.min(r,i.length-1);return p`<p class="summary">${$(i[c].label)} has the weight
      ${y(o[c])}${s?p`, from the score ${y(s[c])}`:g}.</p>
    ${bt(e,n,c)}
    <div class="formulas">
      <div><h4>Score</h4>${l?.terms?Rn(l.terms.energy!==null):g}
        ${l?.terms?Pn(n,c):Ur()}</div>
      <div><h4>Weight</h4>${Cn(a.normalizer,a.prior==="gaussian")}
        <p class="note">${a.score.formula} <br><cite>${a.score.reference}</cite></p></div>
    </div>`}function Hu(e,t,n){let{detail:r,weights:o,units:i}=n,s=M(o);if(!r)return p`${bt(e,n,s)} ${Ur()}`;let{values:a}=r,l=r.context.length,c=M(r.context.map(Math.abs)),u=h=>o[h]*a[h*l+c],d=W(i.map((h,f)=>Math.abs(u(f)))),m=d.slice(Vn).reduce((h,f)=>h+u(f),0);return p`${D(r.context,"context, Σ weight · value","context")}
    <table class="terms" data-testid="products"><caption>Number ${c+1} of the context, the largest:
      the sum of weight × value over the source pieces</caption>
      <thead><tr><th scope="col">piece</th><th scope="col">weight</th><th scope="col">value</th>
        <th scope="col">product</th></tr></thead>
      <tbody>${d.slice(0,Vn).map(h=>p`<tr><th scope="row">${$(i[h].label)}</th><td>${y(o[h])}</td>
          <td>${y(a[h*l+c])}</td><td>${y(u(h))}</td></tr>`)}
      ${d.length>Vn?p`<tr><th scope="row" colspan="3">the other ${d.length-Vn} pieces</th>
              <td>${y(m)}</td></tr>`:g}
      <tr class="total"><th scope="row" colspan="3">sum</th><td data-testid="context-sum"
        >${y(r.context[c])}</td></tr></tbody></table>`}function zu({record:e,vector:t,units:n,step:r},o){let i=n[Math.min(r,n.length-1)].positions[0];return o==="output"?Je(e,i):p`<p>The decoder has the source only as this vector, the same at every step, however long
      the sentence is.</p>
    ${t?D(t,"fixed vector","context"):g}`}function Ur(){return p`<p class="note">The record has the vectors of another head.</p>`}var Js=v`
  .numbers {
    border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: var(--ink);
    width: min(64rem, 100vw - 2rem); max-height: calc(100dvh - 2rem); padding: 1.25rem 1.5rem;
    overflow: auto;
  }
  .numbers[open] { display: grid; gap: 1rem; }
  .numbers > * { min-width: 0; }
  .numbers::backdrop { background: rgb(0 0 0 / 35%); }
  .numbers-head { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
  .numbers h4 { margin: 0; font-size: 1rem; }
  .numbers .tall { max-height: 16rem; }
  .formulas { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; }
  .formulas > * { min-width: 0; overflow: auto; }
  @media (max-width: 46rem) { .formulas { grid-template-columns: minmax(0, 1fr); } }
`;var Zs=v`
  .panel:has(.stagecraft) { gap: 0; }
  .stagecraft {
    --type: 1rem;
    font-size: var(--type); line-height: 1.35; display: flex; flex-direction: column;
    height: max(26rem, calc(100dvh - var(--above, 0px) - var(--below, 1.75rem)));
  }
  .lanes { flex: 1; min-height: 0; display: grid; grid-auto-columns: minmax(0, 1fr); gap: 0.75em 2em; }
  .lane {
    position: relative; min-height: 0; display: grid; justify-items: center;
    grid-template-columns: minmax(0, 1fr);
    grid-template-rows: auto minmax(1.5em, 1fr) auto auto auto; isolation: isolate;
  }
  .lane:has(> h3) { grid-template-rows: auto auto minmax(1.5em, 1fr) auto auto auto; }
  .lane > h3 { font-size: 1em; justify-self: start; }
  .stagecraft button.word, .query, .pill, .race {
    border: 0; background: none; padding: 0; min-height: 0; text-align: inherit;
    max-width: 100%;
  }

  .line-of-words {
    width: 100%; display: grid; justify-items: center; min-height: 0; overflow-y: auto;
    overflow-x: clip; scrollbar-width: thin;
  }
  .line-of-words .name { color: var(--soft); font-size: max(var(--floor, 0.875rem), 0.8em); }
  .words {
    font-size: clamp(var(--floor, 1rem), var(--words), 2.1em); line-height: 1.25;
    text-align: center; text-wrap: balance; overflow-wrap: anywhere;
  }
  .stagecraft button.word {
    display: inline-block; margin: 0 0.05em; cursor: pointer; line-height: inherit; font-size: 1em;
    vertical-align: top;
  }
  .stagecraft .word .ink {
    display: inline-block; padding: 0.04em 0.14em; border-radius: 0.2em;
  }
  .lane:not([data-stage="0"]) .ink { transition: background var(--beat), color var(--beat); }
  .stagecraft .word:hover .ink { box-shadow: 0 0 0 2px var(--line); }
  .stagecraft .word[data-special] { font-size: max(var(--floor, 0.875rem), 0.6em); padding-top: 0.3em; }
  .source .word small {
    display: block; text-align: center; font-size: max(var(--floor, 0.875rem), 0.42em);
    line-height: 1.2; color: var(--weight); font-weight: 600; height: 1.2em;
  }
  .source .word small.faint { opacity: 0; }
  .dense .word small, .lane:has(.chip) .word small { display: none; }

  .target { padding-top: 0.35em; }
  .target .slot .ink { transition: none; color: transparent; box-shadow: inset 0 -0.12em var(--output); border-radius: 0; }
  .target .coming .ink { opacity: 0.32; font-weight: 400; }
  .target .unseen { visibility: hidden; }
  .target .said.now .ink {
    background: color-mix(in srgb, var(--output) 16%, var(--paper));
    box-shadow: inset 0 -0.12em var(--output);
    animation: drop calc(0.8 * var(--beat)) cubic-bezier(0.3, 1.4, 0.6, 1) backwards;
    animation-delay: calc(0.3 * var(--beat));
  }
  @keyframes drop { from { translate: 0 -2.2em; opacity: 0; } }

  .mix { display: flex; gap: 0.75em; align-items: stretch; justify-content: center; width: min(100%, 46em); }
  .query {
    color: var(--query); border: 2px solid currentcolor !important; border-radius: 0.6em;
    padding: 0.3em 0.7em !important; display: grid; align-content: center; flex: none;
    max-width: 32% !important; overflow: hidden; font-weight: 600; cursor: pointer;
  }
  .query bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .query small, .pill-name { font-size: max(var(--floor, 0.875rem), 0.8em); font-weight: 400; white-space: nowrap; }
  .lane[data-stage="0"] .query { animation: ask var(--beat) ease-out; }
  @keyframes ask { from { background: color-mix(in srgb, var(--query) 30%, var(--paper)); } }
  .pill {
    flex: 1; min-width: 0; display: grid; gap: 0.15em; color: var(--context);
    border: 2px solid currentcolor !important; border-radius: 0.6em; overflow: hidden;
    padding: 0.15em 0.3em 0.3em !important; cursor: pointer;
  }
  .pill-name { text-align: start; padding-inline: 0.3em; }
  .parts { display: flex; height: 1.7em; gap: 1px; border-radius: 0.3em; overflow: hidden; }
  .part {
    min-width: 0; flex-basis: 0; overflow: hidden; display: grid; place-items: center;
    color: var(--ink); background: color-mix(in srgb, var(--value) 38%, var(--paper));
    font-weight: 600; white-space: nowrap;
    transition: opacity var(--beat), scale var(--beat);
    transform-origin: top;
  }
  .part:nth-child(even) { background: color-mix(in srgb, var(--value) 24%, var(--paper)); }
  .part bdi { overflow: hidden; text-overflow: ellipsis; max-width: 100%; padding-inline: 0.3em; }
  .lane:is([data-stage="0"], [data-stage="2"]) .part { opacity: 0; scale: 1 0; transition: none; }
  .chip { width: min(100%, 30em); flex: none; text-align: center; padding: 0.3em 0.6em 0.5em !important; }
  .chip .pill-name { text-align: center; white-space: normal; }
  .chip .strip { height: 1.7em; }

  .race {
    width: min(100%, 26em); display: grid; gap: 0.1em; margin-top: 0.8em !important; cursor: pointer;
    transition: opacity 0.2s;
  }
  .runner { display: grid; grid-template-columns: 7.5em 1fr 3.6em; gap: 0.6em; align-items: center; }
  .runner bdi { text-align: end; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .runner .runway { height: 0.75em; }
  .runner .runway i {
    display: block; height: 100%; border-radius: 0.2em; min-width: 1px;
    background: color-mix(in srgb, var(--output) 38%, var(--paper));
    transition: width calc(0.8 * var(--beat)) cubic-bezier(0.3, 0.9, 0.4, 1);
  }
  .runner.winner .runway i { background: var(--output); }
  .lane[data-stage="5"] .runner.winner bdi { font-weight: 700; color: var(--output); }
  .lane:not([data-stage="5"]) .race { opacity: 0.5; }
  .lane:not([data-stage="5"]) .runner .runway i { transition: none; }
  .lane[data-ended="true"] :is(.mix, .race) { opacity: 0.25; }
  .runner .p .number { font-weight: 400; }

  .arcs { position: absolute; inset: 0; width: 100%; height: 100%; z-index: -1; overflow: visible; }
    .arc {
    fill: none; stroke: var(--weight); opacity: 0.75; stroke-dasharray: 1; stroke-dashoffset: 0;
    animation: grow var(--beat) ease-out;
  }
  @keyframes grow { from { stroke-dashoffset: 1; } }
  .lane:not([data-stage="2"]) .arc { animation: none; }
  .threads .arc { stroke: var(--soft); opacity: 0.55; }
  .dot {
    position: absolute; left: 0; top: 0; width: var(--size); height: var(--size); border-radius: 50%;
    background: var(--value); opacity: 0; offset-rotate: 0deg;
    animation: flow calc(0.75 * var(--beat)) calc(var(--delay) * var(--beat)) ease-in;
  }
  @keyframes flow {
    from { offset-distance: 0%; opacity: 1; }
    to { offset-distance: 100%; opacity: 1; }
  }

  .telling {
    font-size: 1.15em; min-height: 2.9em; text-align: center; text-wrap: balance; padding: 0.5em 0;
  }
  .telling .number { font-weight: 600; }
  .bar-of-controls {
    display: flex; flex-wrap: wrap; gap: 0.5em 0.9em; align-items: center; position: relative;
  }
  .bar-of-controls .field { display: block; }
  .bar-of-controls .field > span[aria-hidden] { display: none; }
  .phases { display: flex; gap: 0.3em; }
  .phases button { border-radius: 1em; --hue: var(--weight); border-color: var(--hue); color: var(--hue); background: none; }
  .phases .query { --hue: var(--query); border-radius: 1em; max-width: none !important; padding: 0.25em 0.65em !important; border-width: 1px !important; display: inline-block; font-weight: 400; }
  .phases .context { --hue: var(--context); }
  .phases .output { --hue: var(--output); }
  .phases button[aria-pressed="true"] { background: var(--hue) !important; color: var(--paper); border-color: var(--hue); }
  .stagecraft .options { margin-inline-start: auto; }
  .stagecraft .options-body {
    position: absolute; bottom: 100%; inset-inline-end: 0; z-index: 3; padding: 1rem;
    background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
    box-shadow: 0 8px 28px rgb(0 0 0 / 16%); max-width: 100%;
  }
  .stagecraft .options > summary { max-width: 22em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }

  @media (min-width: 56rem) {
    .lanes:not([data-count="1"]) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  }
  @media (max-width: 56rem) {
    .runner { grid-template-columns: 5.5em 1fr 3.2em; }
    .bar-of-controls { gap: 0.4em; justify-content: center; }
    .stagecraft .options { margin-inline-start: 0; }
    .telling { font-size: 1em; }
    .lanes:not([data-count="1"]) {
      .name, .query small, .pill-name, .runner:not(.winner) { display: none; }
      .chip .pill-name { display: block; }
      .strip { height: 0.8em; }
      .pill { padding-block: 0.1em !important; }
      .race { margin-top: 0.2em !important; }
      .words { line-height: 1.15; font-size: clamp(0.875rem, var(--words), 1.1em); }
      .target { padding-top: 0; }
    }
    .lanes:not([data-count="1"]) ~ .telling { min-height: 0; padding: 0.2em; font-size: var(--tiny); }
  }
  @media (max-height: 48rem), (max-width: 48rem) { .runner:nth-child(n + 4):not(.winner) { display: none; } }
  :host([present]) {
    position: fixed; inset: 0; z-index: 2147483647; overflow: auto; padding: 0 2vw;
  }
  :host([present]) :is(header, [role="tablist"], .provenance) { display: none; }
  :host([present]) .stagecraft {
    --type: clamp(1rem, min(1.3vw, 2.3vh), 4rem); --floor: clamp(0.875rem, min(1.25vw, 2.24vh), 4rem);
    --small: 1em; height: calc(100dvh - 1.5vh - var(--above, 0px));
  }
  :host([present]) .stagecraft :is(.soft, .note, .small) { font-size: 1em; }
  @media (prefers-reduced-motion: reduce) { .dot { display: none; } }
  @media (forced-colors: active) {
    .arc { stroke: CanvasText; }
    .part, .runner .runway i { background: CanvasText !important; forced-color-adjust: none; }
  }
`;function ea(e){return e.every(({source:t,attentions:n,summary:r})=>t?.kind==="text"&&(n.length?n.some(({kind:o})=>o==="cross"):r!==null))}function ta(e){let{records:t,selection:n}=e,r=vt(t,n),{step:o,stage:i}=vn(r,n),s=t.map((c,u)=>{let d=u===n.record&&n.userSelected;return ts(c,{...n,userSelected:d},o)}),a={...e,selection:{...n,stage:r.stages[i]}},l=Math.min(.9,An(n,t)||.5);return p`<div class="stagecraft" .style=${`--beat:${l}s`} data-testid="stage-view"
      data-phase=${qr[a.selection.stage].id} data-step=${o}>
    <div class="lanes" data-count=${t.length}>
      ${s.map(c=>Gs(a,c))}
    </div>
    <p class="telling" role="status" aria-live=${n.playing?"off":"polite"}
      data-testid="summary">${Uu(s,o,a.selection.stage)}</p>
    <div class="bar-of-controls">
      ${_n(e)} ${Vu(a,r.stages)}
      ${$e(e,Ou(e,s[n.record]))}
    </div>
    ${n.detail?Qs(a,s[n.record]):g}
  </div>`}var qr={0:{id:"query",title:"Query"},2:{id:"weights",title:"Weights"},4:{id:"context",title:"Context"},5:{id:"output",title:"Output"}};function Vu({selection:e,change:t,record:n},r){let o=i=>i===0&&!n.attentions.length?"State":qr[i].title;return p`<span class="phases" role="group" aria-label="phases of a step">${r.map(i=>p`<button class=${qr[i].id} data-testid="phase" data-stage=${i}
      aria-pressed=${i===e.stage}
      @click=${()=>t({stage:i,playing:!1,started:!0})}>${o(i)}</button>`)}</span>`}function Ou(e,{record:t,bottleneck:n}){return p`${t.attentions.length?pe(e):Ve(e)}
    <p class="note">${n?"This decoder has the source as one vector of fixed size.":"The width of an arc is its attention weight. The width of a part of the context is weight × ‖value‖."} ${e.selection.shift&&!n?"The weights of this head belong to the word that was just read: the other views show them there.":g} ${t.model.description}</p>`}function Uu(e,t,n){if(e.length>1)return qu(e);let[{units:r,weights:o,shares:i,source:s,candidates:a,bottleneck:l}]=e,c=$(r[t-1]?.label??Y("<s>"));if(n===5){let m=a.find(({output:f})=>f)?.p??0,h=r[Math.min(t,r.length-1)];return p`The output is ${$(h.label)}, with probability ${y(m)}.`}if(l)return n===0?p`The decoder has read ${c}. It has the source only as the fixed vector.`:p`The context is the fixed vector, the same at every step.`;if(n===0)return p`The decoder has read ${c} and computes a query.`;let u=M(n===2?o:i),d=$(s.units[u].label);return n===2?p`The key of ${d} fits the query best: weight ${y(o[u])}.`:p`The values are added up by their weights: ${y(i[u])} of the context is from ${d}.`}function qu(e){return p`${e.map(({record:t,bottleneck:n,units:r,step:o},i)=>{let s=r[o];return p`${i?"; ":""}${t.model.name} ${s?p`outputs ${$(s.label)}`:"has ended"}${n?" from the fixed vector":""}`})}.`}var na=[Zs,Js];function oa(e){let{record:t,selection:n}=e;if(!t.states||t.source?.kind!=="text")return re(t);let r=Math.min(n.row,t.steps.length-1),o=Math.min(n.stage,1),i=a=>`stage ${a===o?"now":""}`,s=["<s>",...t.target.pieces.slice(0,r)];return p`<p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${o?Sr(t,r):Fu(t,r)}</p>
    <section class="stage" data-testid="encoder"><h3>Encoder</h3>
      <p class="note">The encoder reads the source piece by piece. The decoder does not see these
        states, only the fixed vector below.</p>
      ${ra(t,t.states.encoder,t.source.pieces,-1)}
    </section>
    <section class="stage fixed" data-testid="fixed"><h3>Fixed vector</h3>
      ${t.summary===null?g:D(t.numbers(t.summary),"the whole source","context")}
    </section>
    <section class=${i(0)} data-testid="stage-0"><h3>1. Decoder state</h3>
      <p class="note">The state after each input piece. Before the first piece it is computed from
        the fixed vector.</p>
      ${ra(t,t.states.decoder,s,r)}
    </section>
    <section class=${i(1)} data-testid="stage-1"><h3>2. Output</h3>
      ${Je(t,r)}
    </section>`}function Fu(e,t){let n=t?e.target.pieces[t-1]:"<s>";return p`Step ${t+1} of ${e.steps.length}: the decoder reads
    ${$(R(n))} and computes its next state from ${t?"the last one":"the fixed vector"}.`}function ra(e,t,n,r){let o=e.numbers(t),i=t===e.states?.encoder?e.source:e.target,s=i?.kind==="text"?i.pieces.length:n.length,a=o.length/s,l=o.reduce((u,d)=>Math.max(u,Math.abs(d)),0),c=ye(l,t===e.states?.encoder?"value":"query");return p`<ol class="states">${n.map((u,d)=>{let m=o.subarray(d*a,(d+1)*a);return p`<li class=${d===r?"here":""} data-testid="state">
      <bdi dir="auto" title=${R(u)}>${R(u)}</bdi>
      <canvas role="img" aria-label=${`state of ${a} numbers`}
        ${J(1,m,c,l)}></canvas></li>`})}</ol>`}var ia=v`
  .states {
    list-style: none; display: flex; flex-wrap: wrap; gap: 0.9rem 0.25rem; margin: 0; padding: 0;
  }
  .states li { width: 4.2rem; display: grid; gap: 0.3rem; justify-items: center; }
  .states bdi {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font-size: var(--small);
  }
  .states canvas { width: 1.6rem; height: 7rem; image-rendering: pixelated; }
  .states .here canvas { outline: 2px solid var(--accent); outline-offset: 2px; }
  .states .here bdi { color: var(--accent); font-weight: 650; }
  .fixed .strip { outline: 2px solid currentColor; outline-offset: 3px; margin-block: 0.3rem; }
`;function sa(e){let t=be(e);return t?Du(e,t):ju(e.record)}function Du(e,t){let{record:n,selection:r,change:o}=e,{row:i,column:s}=xe(t,r),a=r.by==="row",[l,c]=[t.rows,t.columns],u=(h,f)=>o({by:"row",row:l.units[h].positions[0]??0},f),d=(h,f)=>o({by:"column",column:c.units[h].positions[0]??0},f),m=(h,f)=>t.row(h)[f];return p`<div class="texts">
      ${F({axis:c,side:"columns",name:c.name==="prefix"?"target prefix":c.name,pieces:r.units==="pieces",hover:!0,current:s,selected:!a,value:h=>a?m(i,h):null,style:h=>a?Q(m(i,h)):"",label:h=>`${c.units[h].label}, ${a?_(m(i,h)):"source word"}`,select:d})}
      ${F({axis:l,side:"rows",name:l===c?"source (queries)":l.name,pieces:r.units==="pieces",hover:!0,current:i,selected:a,value:h=>a?null:m(h,s),style:h=>`${a?"":Q(m(h,s))};${la(n,l,h)}`,label:h=>`${l.units[h].label}${a?"":`, ${_(m(h,s))}`}`,select:u})}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${a?gn(t,i):bn(t,s)}${a&&l.name==="target"?p`; <i>p</i> = ${y(Math.exp(aa(n,l.units[i])))}`:g}
    </p>
    <p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The more a word is coloured, the higher its attention weight.</p>
    ${Bu(l.name==="target")} ${$e(e,pe(e))} ${ve(e)}`}function ju(e){let t=P("target",e.target,"words"),n=e.source?.kind==="text"?P("source",e.source,"words"):null,r={pieces:!1,hover:!1,current:-1,selected:!1,value:()=>null};return p`<div class="texts">
      ${n?F({...r,axis:n,side:"columns",name:n.name,style:()=>"",label:o=>n.units[o].label}):g}
      ${e.summary===null?g:D(e.numbers(e.summary),"fixed vector","context")}
      ${F({...r,axis:t,side:"rows",name:t.name,style:o=>la(e,t,o),label:o=>t.units[o].label})}
    </div>
    ${re(e)}`}function aa(e,t){return t.positions.reduce((n,r)=>n+e.steps[r].logp,0)}function la(e,t,n){if(t.name!=="target")return"";let r=-aa(e,t.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function Bu(e){return p`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${yn()}></i> 1,
      attention weight</span>
    ${e?p`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>`:g}
  </p>`}var ca=v`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--output); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--output); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;function pa(e){if(!e.record.attentions.length)return p`<div class="trace">
      ${ua(e,e.selection.row)} ${da(e)} ${oa(e)}</div>`;let t=zn(e);if(!t)return p`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${ma(e)}</p></div>`;let{column:n,stage:r}=e.selection,{detail:o,attention:i,weights:s,units:a}=t,l=n<0?M(s):Math.min(n,a.length-1),c=u=>`stage ${u===r?"now":""}`;return p`<div class="trace">
    ${Wu(e,t,l)} ${ua(e,t.step)} ${da(e)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${es(e.record,t,r)}</p>
    ${Gu(e,t)}
    <section class=${c(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${o?.terms?D(o.terms.query,"query q, from the decoder state","query"):o?p`<p class="note" data-testid="no-terms">The score of this attention is not shown as
                a sum of terms. The record has its values.</p>`:Fr(e,"the query")}
    </section>
    <div class="middle">
      <section class="positions ${r>0&&r<4?"now":""}">
        ${bt(e,t,l)}
        ${o?Pn(t,l):Fr(e,"the terms of the scores")}</section>
      <div class="sides">
        <section class=${c(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${o?.terms?Rn(o.terms.energy!==null):g}
          <p class="note">${i.score.formula} <br><cite>${i.score.reference}</cite></p>
        </section>
        <section class=${c(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${Cn(i.normalizer,i.prior==="gaussian")}
          ${Ku(e,t)}
        </section>
        <section class=${c(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${y(Math.max(...wn(t)))}.</p>
        </section>
      </div>
    </div>
    <section class=${c(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${o?D(o.context,"context, Σ weight · value","context"):Fr(e,"the context")}
    </section>
    <section class=${c(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${Je(e.record,t.step)}
      ${e.selection.temperature===1?g:p`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`}
    </section>
  </div>`}function Wu(e,{weights:t},n){let{record:r,selection:o,change:i}=e;if(r.source?.kind!=="text")return g;let s=P("source",r.source,o.units);if(s.units.reduce((c,{positions:u})=>c+u.length,0)!==t.length)return g;let l=c=>s.units[c].positions.reduce((u,d)=>u+t[d],0);return F({axis:s,side:"columns",name:"source",pieces:o.units==="pieces",hover:!1,current:ge(s,n),selected:!0,value:l,style:c=>o.stage<2?"":Q(l(c)),label:c=>`${s.units[c].label}, ${_(l(c))}`,select:(c,u)=>i({column:s.units[c].positions[0]},u)})}function ua({record:e,selection:t,change:n},r){let o=P("target",e.target,t.units);return F({axis:o,side:"rows",name:"target",pieces:t.units==="pieces",hover:!1,current:ge(o,r),selected:!0,value:()=>null,style:()=>"",label:i=>`step ${o.units[i].positions[0]+1}, ${o.units[i].label}`,select:(i,s)=>n({row:o.units[i].positions[0],column:-1,playing:!1},s)})}function da(e){let{record:t,selection:n}=e;return p`<div class="controls">
    ${_n(e)} ${Ve(e)}
    <span class="soft small" data-testid="stage">stage ${n.stage+1} of ${$n(t)}</span>
  </div>`}function Gu(e,t){let{record:n,selection:r}=e,o=Or(e)&&n.head_trace?n.head_trace.head:r.head,i=n.attentions.length>1||t.attention.heads>1;return p`<p class="note" data-testid="caption">
    <strong>${He(n,t.attention,{head:o,shift:0})}</strong>.
    ${t.detail?t.detail.terms?"The record has all vectors of this head.":"The record has the scores, weights and values of this head.":p`The record has the vectors of another head. ${ma(e)}`}
    ${i?"The output depends on all heads and layers; this is one of them.":g}
    ${n.alignment_head?.shift&&t.detail?"The text view shows this head at next input, one step later.":g}</p>`}function ma({record:e,change:t}){return e.head_trace?p`<button data-testid="traced-head"
    @click=${()=>t(O(e),'[data-testid="forward"]')}>
    Show the head with all vectors</button>`:g}function Fr({selection:e},t){let n=typeof e.head=="number"?e.head+1:1;return p`<p class="note">The record does not have ${t} of this head. To record it:
    <code>regard explain … --attention ${e.attention} --head ${n}</code></p>`}function Ku({selection:e,change:t},n){let{attention:r,scores:o,weights:i,recorded:s,detail:a}=n;if(!o)return p`<p class="note">The ${e.head==="mean"?"mean":"maximum"} of several heads
      has no scores.</p>`;let l=Math.max(...i.map((m,h)=>Math.abs(m-s[h]))),c=e.temperature,u=m=>t({temperature:2**Number(m.target.value)}),d=r.normalizer.name;return Ft.has(d)?p`${d==="hard"||d==="uniform"?g:p`<label class="field" for="temperature">
          temperature τ = ${c===1?"1, as in the model":y(c)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(c))}
            @input=${u}>
        </label>`}
  ${r.prior==="gaussian"?p`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`:g}
  ${c===1&&!a?p`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`:c===1?p`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${l} value=${l}
            >${l.toExponential(0).replace("-","−")}</data>.</p>`:p`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${()=>t({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`:p`<p class="note" data-testid="recorded-weights">The weights of the model. The viewer
      does not recompute this normalizer.</p>`}var ha=v`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var Mt=()=>!0;function Yu(){return/[?&]present\b/.test(location.search)||/(#|&)present\b/.test(location.hash)}function Xu(e,t,n){return e.matches("select, textarea, [contenteditable], input:not([type=checkbox])")?!0:t===" "&&!n&&e.matches("button:not([role=tab]), summary, a, input, [role=button]:not(.word)")}var fa=e=>e.source?.kind==="image",Dr=[{id:"stage",title:"Stage",render:ta,fits:ea},{id:"image",title:"Image",render:Es,fits:e=>fa(e[0])},{id:"text",title:"Text",render:sa,fits:e=>!fa(e[0])},{id:"matrix",title:"Matrix",render:Ds,fits:Mt},{id:"trace",title:"Step by step",render:pa,fits:Mt},{id:"heads",title:"Layers × heads",render:Ss,fits:Mt},{id:"beam",title:"Beam search",render:Yi,fits:Mt},{id:"compare",title:"Compare",render:cs,fits:e=>e.length>1},{id:"interventions",title:"Interventions",render:Rs,fits:Mt}],On=class extends j{static styles=[qe,as,ca,ws,xs,Li,bs,ha,na,ia,Ts,Xi,ds,_s,Is];#e=[];#t=null;#n="";#o=!1;#i="";#r=0;#s=0;#l=!1;#c=960;#u=new ResizeObserver(([t])=>{this.#c=t.contentRect.width,this.requestUpdate()});#d=matchMedia("(prefers-color-scheme: dark)");#p=()=>this.requestUpdate();#m=()=>this.#a(this.#h());connectedCallback(){super.connectedCallback(),this.#u.observe(this),this.#d.addEventListener("change",this.#p),window.addEventListener("hashchange",this.#m),window.addEventListener("resize",this.#p),window.addEventListener("keydown",this.#x,!0),window.addEventListener("pointerdown",this.#b,!0),this.toggleAttribute("present",Yu());let t=this.querySelectorAll(':scope > script[type="application/json"]');(t.length||!this.#o)&&this.show(Array.from(t,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#r),this.#u.disconnect(),this.#d.removeEventListener("change",this.#p),window.removeEventListener("hashchange",this.#m),window.removeEventListener("resize",this.#p),window.removeEventListener("keydown",this.#x,!0),window.removeEventListener("pointerdown",this.#b,!0)}async show(t){this.#o=!0,this.#n="";try{if(this.#e=await Promise.all(t.map(zr)),!this.#e.length)throw new Error("The page has no record to show.");let n=Dr.filter(r=>r.fits(this.#e));this.#t=Ci(this.#e,n[0].id),this.#a(this.#h())}catch(n){this.#n=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}async replace(t,n=0){let r=typeof t=="string"?await zr(t):t;this.extend(r,n);let o=this.#t;if(!o)return;let i=N(r,o.attention)?{}:O(r),s=r.steps.length-1;this.#a({...o.record===n?i:{},row:Math.min(o.row,s),column:-1,stage:we(o.view)&&!o.playing?5:o.stage,started:!1,playing:!1,node:null,intervention:0,detail:null})}extend(t,n){this.#e=this.#e.map((r,o)=>o===n?t:r),this.requestUpdate()}get records(){return this.#e}#h(){let t=this.#f()?decodeURI(location.hash.slice(1).split("&")[0]):"",[n,r,o,i]=t.split("/"),s=Dr.find(d=>d.id===n&&d.fits(this.#e));if(!s)return{};let a=this.#e[this.#t?.record??0],c=nt(N(a,o)).find(d=>gt(d)===i),u=Number(r)-1;return{view:s.id,...u>=0?{row:u,column:-1}:{},...c===void 0?{}:{attention:o,head:c,userSelected:!0}}}#y(t,{view:n,row:r,attention:o,head:i,userSelected:s}){if(!(t.view||t.attention!==void 0||t.head!==void 0||we(n)&&t.row!==void 0)||!this.#f())return;let l=we(n)||s?`/${r+1}`:"",c=s?`/${o}/${gt(i)}`:"",[,...u]=location.hash.split("&"),d=[`#${n}${l}${c}`,...u].join("&");location.hash!==d&&history.replaceState(null,"",d)}#f(){return location.protocol!=="about:"&&this.#g()}#g(){return document.querySelectorAll("regard-view").length===1}#a(t,n=""){if(!this.#t)return;let r=t.record,o=r===void 0?{}:{...O(this.#e[r]),stage:0},i=this.#w(this.#t,t);t.playing&&(this.#s=performance.now()),this.#t={...this.#t,...o,...i,...t},this.#i=n,this.#y(t,this.#t),this.requestUpdate()}#w(t,n){let{view:r}=n;if(!r||r===t.view)return{};let o=t.started?{}:{stage:r==="stage"?5:0},i=Number(we(r))-Number(we(t.view)),s=this.#e[t.record].steps.length-1,a=Math.max(0,Math.min(s,t.row+i*t.shift));return{...o,row:a,detail:null}}#$(t){let n=1e3*An(t,this.#e),r=()=>{let o=Math.max(1,Math.floor((performance.now()-this.#s)/n));this.#s+=o*n,this.#a(ze(t,this.#e,o))};this.#r=window.setTimeout(r,this.#s+n-performance.now())}#b=()=>{this.#l=!0};#x=t=>{t.key==="Tab"&&(this.#l=!1);let n=this.#t;if(!n||!we(n.view)||t.ctrlKey||t.metaKey||t.altKey||t.shiftKey)return;let r=t.composedPath();if(!r.includes(this)&&!this.#g()||r[0]instanceof Element&&Xu(r[0],t.key,this.#l)||n.detail&&!t.key.startsWith("Arrow"))return;let i={ArrowRight:()=>ze(n,this.#e,1),ArrowLeft:()=>ze(n,this.#e,-1),PageDown:()=>Tr(n,this.#e,1),PageUp:()=>Tr(n,this.#e,-1)," ":()=>kn(n,this.#e)}[t.key];i&&(t.preventDefault(),t.stopPropagation(),this.#a({playing:!1,...i()}))};updated(t){clearTimeout(this.#r);let n=this.#t;if(n?.playing&&this.#$(n),n&&this.#v(n),!this.#i)return;let r=this.renderRoot.querySelector(this.#i);this.#i="",r?.focus()}#v({view:t,playing:n,detail:r}){let o=this.renderRoot.querySelector(".tall"),i=o?.querySelector(".here");if(o&&i){let u=i.offsetTop-o.clientHeight/2;Math.abs(u-o.scrollTop)>o.clientHeight/2-2*i.offsetHeight&&(o.scrollTop=u)}t==="trace"&&n&&this.renderRoot.querySelector(".stage.now, .positions.now")?.scrollIntoView({block:"nearest"});let s=this.renderRoot.querySelector("[role=tab][aria-selected=true]"),a=s?.parentElement;if(s&&a){let u=s.offsetLeft-a.offsetLeft+s.offsetWidth;a.scrollLeft=Math.max(u-a.clientWidth,Math.min(a.scrollLeft,u-s.offsetWidth))}let l=this.renderRoot.querySelector("dialog");l&&r&&!l.open&&l.showModal();let c=this.renderRoot.querySelector(".panel");if(t==="stage"&&c){let u=c.getBoundingClientRect().top+window.scrollY;c.style.setProperty("--above",`${u<window.innerHeight/2?Math.ceil(u):0}px`),_o(c)}}render(){let t=this.#t;if(this.#n)return p`<p class="placeholder" role="alert">${this.#n}</p>`;if(!t)return p``;let n=this.#e,r=n[t.record],o={records:n,record:r,selection:t,width:this.#c,change:(a,l)=>this.#a(a,l)},i=Dr.filter(a=>a.fits(n)),s=i.find(a=>a.id===t.view)??i[0];return p`${this.#k(o)}
      <slot name="editor"></slot>
      <div role="tablist" aria-label="views" @keydown=${a=>this.#S(a,i)}>
        ${i.map(a=>p`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#a({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.render(o)}</section>
      ${s.id==="stage"?g:this.#A(r)}`}#k({records:t,record:n,selection:r}){let{model:o,created:i}=n,s=t.length>1?p`<h2 class="hidden">${t.length} models</h2><label>model <select data-testid="model" @change=${a=>this.#a({record:Number(a.target.value)})}>
            ${t.map((a,l)=>p`<option value=${l} ?selected=${l===r.record}>
                ${a.model.name}</option>`)}</select></label>`:p`<h2>${o.name}</h2>`;return p`<header>${s}
      ${i.search==="given"?p`<p>the user gave the target</p>`:g}</header>`}#A({model:t,created:n}){let r=[t.description,n.search,n.engine&&`engine ${n.engine}`,n.precision,`${t.parameters.toLocaleString("en")} parameters`,`weights ${t.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return p`<p class="note provenance" data-testid="provenance" title=${t.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#S(t,n){let r=n.findIndex(({id:s})=>`tab-${s}`===t.target.id),o=n.length-1,i={ArrowRight:r===o?0:r+1,ArrowLeft:r<=0?o:r-1,ArrowDown:r===o?0:r+1,ArrowUp:r<=0?o:r-1,Home:0,End:o}[t.key];i!==void 0&&(t.preventDefault(),this.#a({view:n[i].id,playing:!1},`#tab-${n[i].id}`))}};var Qu=[["regard-view",On],["regard-live",Yt],["regard-race",Xt]];for(let[e,t]of Qu)customElements.get(e)||customElements.define(e,t);
